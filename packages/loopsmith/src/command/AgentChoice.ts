/**
 * Which agents a command drives, by its arguments.
 */
import type { Agent } from "@zain/agents/Agent"
import * as OptionTable from "@zain/tool-server/OptionTable"
import * as OptionValue from "@zain/tool-server/OptionValue"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import { variables } from "../SeedWords.ts"
import * as Options from "./Options.ts"

/**
 * - `command`: the agent's program, found on PATH by default
 * - `model`: the name of its model, by its own configuration by default
 * - `passed`: variables that reach it beside the usual ones
 * - `timeout`: how long one attempt may take
 * - `attempts`: how many there are at most
 */
export interface AgentChoice {
  readonly agent: Agent
  readonly command: string | undefined
  readonly model: string | undefined
  readonly passed: ReadonlyArray<string>
  readonly timeout: Duration.Duration
  readonly attempts: number
}

/**
 * Who judges: a formula, or an agent.
 *
 * - `prompt`: the file with the template of its prompt
 * - `maxBuffer`: the longest answer, in bytes
 */
export type Judge =
  | { readonly agent: "mock" }
  | (AgentChoice & { readonly prompt: string | undefined; readonly maxBuffer: number })

type Improving = OptionTable.Values<ReturnType<typeof Options.improve>>
type Judging = OptionTable.Parsed<ReturnType<typeof Options.serve>>

/** Nothing that a formula needs. */
const ofNoUse: ReadonlySet<string> = new Set(["judge-command", "judge-model", "timeout", "prompt"])

/** The greatest length of a string, which a message is. */
const longestText = 512 * 1024 * 1024 - 24

const truth: OptionValue.Reader<boolean> = (name, given) =>
  Result.map(OptionValue.oneOf(["true", "false", "1", "0"])(name, given), (word) => word === "true" || word === "1")

/** The greatest number of milliseconds that a timer can wait. */
const longestTimer = 2 ** 31 - 1

/** A duration, or a bare number, which this variable takes for milliseconds. */
const millisOrDuration: OptionValue.Reader<Duration.Duration> = (name, given) => {
  const millis = /^\d{1,10}$/.test(given) ? Number(given) : 0
  return millis > 0 && millis <= longestTimer
    ? Result.succeed(Duration.millis(millis))
    : OptionValue.duration(name, given)
}

/** Who judges, or one sentence on what is wrong. */
export const judge = (
  { given, values }: Pick<Judging, "given" | "values">,
  env: OptionTable.Environment,
  agents: Options.Agents,
): Result.Result<Judge, string> =>
  Result.gen(function* () {
    const isMock = yield* OptionTable.fromVariable(env, "USE_MOCK_EVALUATOR", truth, false)
    const timeout = yield* OptionTable.fromVariable(env, variables.timeout, millisOrDuration, Duration.minutes(2))
    const sizes = OptionValue.wholeNumber(1, longestText)
    const maxBuffer = yield* OptionTable.fromVariable(env, variables.maxBuffer, sizes, 20 * 1024 * 1024)
    const agent = values.judge ?? (isMock ? "mock" : (agents[0] ?? "mock"))
    if (agent === "mock") {
      const misplaced = given.find((option) => ofNoUse.has(option))
      return misplaced === undefined
        ? { agent }
        : yield* Result.fail(`--${misplaced} is of no use with the mock judge. Choose another with --judge.`)
    }
    return {
      agent,
      command: values["judge-command"],
      model: values["judge-model"],
      passed: values.env,
      attempts: values.attempts,
      timeout: values.timeout ?? timeout,
      prompt: values.prompt,
      maxBuffer,
    }
  })

/** Who writes, or one sentence on what is wrong. */
export const writer = (values: Improving, agents: Options.Agents): Result.Result<AgentChoice, string> => {
  const agent = values.writer ?? Options.usualWriter(agents)
  if (agent === undefined) return Result.fail("There is no agent that could write.")
  return Result.succeed({
    agent,
    command: values["writer-command"],
    model: values["writer-model"],
    passed: values.env,
    attempts: values.attempts,
    timeout: values["writer-timeout"],
  })
}
