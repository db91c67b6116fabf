/**
 * The options of the commands.
 *
 * @see system page, Environment
 */

import type { Agent } from "@zain/agent-list/Agent"
import * as OptionTable from "@zain/command/OptionTable"
import * as OptionValue from "@zain/command/OptionValue"
import * as ServeOptions from "@zain/tool-server/ServeOptions"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import { defaultTarget } from "../Evaluation.ts"
import * as Rubric from "../Rubric.ts"
import { variables } from "../SeedWords.ts"

/** Every known agent. The first is the default judge. */
export type Agents = ReadonlyArray<Agent>

export const logLevels = ["debug", "info", "warn", "error"] as const
export type LogLevel = (typeof logLevels)[number]

const { flag, many, one, oneOr } = OptionTable
const { duration, inWords, oneOf, text, variableName, wholeNumber } = OptionValue

/** The greatest value of `--iterations`. */
const maxIterations = 1_000

/** A decimal without sign and exponent. */
const decimal = /^\d{1,15}(\.\d{1,15})?$/

const score: OptionValue.Reader<number> = (name, given) =>
  decimal.test(given) && Number(given) <= 10
    ? Result.succeed(Number(given))
    : OptionValue.refuse(name, "a score from 0 to 10, such as 8 or 7.5", given)

/** Weights such as `clarity=2,usability=1`, completed by `Rubric.make`. */
const rubric: OptionValue.Reader<Rubric.Rubric> = (name, given) => {
  const pairs = given.split(",").map((part) => part.split("=").map((side) => side.trim()))
  const isRead = pairs.every(([key, weight = "", ...rest]) => key !== "" && decimal.test(weight) && rest.length === 0)
  if (!isRead) {
    return OptionValue.refuse(name, "weights such as completeness=3,accuracy=3,clarity=2,usability=2", given)
  }
  const names = pairs.map(([key]) => key)
  const twice = names.find((key, at) => names.indexOf(key) !== at)
  if (twice !== undefined) return Result.fail(`${name} has two weights for ${twice}.`)
  const weights = Object.fromEntries(pairs.map(([key = "", weight]) => [key, Number(weight)]))
  return Result.mapError(Rubric.make(weights), (problem) => `${name}: ${problem}`)
}

/** An agent by its name. */
const agentOf =
  (agents: Agents): OptionValue.Reader<Agent> =>
  (name, given) =>
    Result.map(oneOf(namesOf(agents))(name, given), (found) => agents.find((agent) => agent.name === found) as Agent)

const namesOf = (agents: Agents) => agents.map(({ name }) => name)

const judgeOf =
  (agents: Agents): OptionValue.Reader<Agent | "mock"> =>
  (name, given) =>
    Result.map(
      oneOf([...namesOf(agents), "mock"])(name, given),
      (found) => agents.find((agent) => agent.name === found) ?? "mock",
    )

const judging = (agents: Agents, iterations: string) => {
  const names = [...namesOf(agents), "mock"]
  return {
    judge: one(
      "NAME",
      judgeOf(agents),
      `the judge: ${inWords(names)} (default: ${names[0]}; mock with USE_MOCK_EVALUATOR=true)`,
    ),
    "judge-command": one("PATH", text, `path of the judge's program (default: looked up on PATH)`),
    "judge-model": one("NAME", text, "the judge's model (default: the one in its configuration)"),
    timeout: one("TIME", duration, `timeout of one attempt at an evaluation (default: ${variables.timeout}, or 2m)`),
    attempts: oneOr("COUNT", wholeNumber(1, 10), 3, "maximum number of attempts (default: 3)"),
    prompt: one("FILE", text, "template of the judge's prompt (default: EVALUATION_PROMPT_PATH, or the packaged one)", {
      variable: "EVALUATION_PROMPT_PATH",
    }),
    env: many("NAME", variableName, "passes one more variable on to the agents; repeatable"),
    target: oneOr(
      "SCORE",
      score,
      defaultTarget,
      `the score with which a document passes (default: TARGET_SCORE, or ${defaultTarget})`,
      { variable: "TARGET_SCORE" },
    ),
    iterations: oneOr("COUNT", wholeNumber(1, maxIterations), 5, `${iterations} (default: MAX_ITERATIONS, or 5)`, {
      variable: "MAX_ITERATIONS",
    }),
  }
}

const logging = (level: LogLevel) => ({
  "log-level": oneOr("LEVEL", oneOf(logLevels), level, `${inWords(logLevels)} (default: LOG_LEVEL, or ${level})`, {
    variable: "LOG_LEVEL",
  }),
})

/** The default writer: the second agent, so that judge and writer differ. */
export const usualWriter = (agents: Agents): Agent | undefined => agents[1] ?? agents[0]

/** The options of `serve` over any transport. */
export const serve = (agents: Agents) => ({
  ...judging(agents, "after how many evaluations a session counts from 1 again,\nand clients' models should stop"),
  ...logging("info"),
})

/** The options of `serve` over a transport that listens. */
export const listening = ServeOptions.table(23_100, { host: "MCP_HOST", port: "MCP_PORT" })

/** The options of `improve`. */
export const improve = (agents: Agents) => ({
  ...judging(agents, "maximum number of evaluations"),
  rubric: oneOr(
    "WEIGHTS",
    rubric,
    Rubric.defaults,
    "weights of the criteria, for example completeness=3,accuracy=3,clarity=2,usability=2",
  ),
  writer: one(
    "NAME",
    agentOf(agents),
    `the writer: ${inWords(namesOf(agents))} (default: ${usualWriter(agents)?.name})`,
  ),
  "writer-command": one("PATH", text, `path of the writer's program (default: looked up on PATH)`),
  "writer-model": one("NAME", text, "the writer's model (default: the one in its configuration)"),
  "writer-timeout": oneOr(
    "TIME",
    duration,
    Duration.minutes(10),
    "timeout of one attempt at a rewriting (default: 10m)",
  ),
  output: one(
    "FILE",
    text,
    "path of the better document (default: guide.improved.md for guide.md; - is standard output)",
    { short: "o" },
  ),
  "in-place": flag("replaces FILE with the better document"),
  report: one("FILE", text, "path of the report (default: guide.report.html beside the document)"),
  "no-report": flag("writes no report"),
  force: flag("replaces outputs that exist", "f"),
  json: flag("prints each event as a line of JSON on standard output; the last line is the summary"),
  quiet: flag("prints only problems", "q"),
  ...logging("warn"),
})
