/**
 * What the command was asked to do, by its arguments; the environment stands in for those that are not there.
 */

import * as OptionTable from "@zain/tool-server/OptionTable"
import * as ServeOptions from "@zain/tool-server/ServeOptions"
import * as Result from "effect/Result"
import * as AgentChoice from "./AgentChoice.ts"
import * as Options from "./Options.ts"

/** The two commands, by their names. */
export type Topic = "improve" | "serve"

type Parsed = Result.Result.Success<ReturnType<typeof serve | typeof improve>>

export type CommandLine = Parsed | { readonly _tag: "Help"; readonly topic: undefined }

/** Serve the tools to MCP clients. */
export type Serve = Extract<Parsed, { readonly _tag: "Serve" }>

/**
 * Improve a document.
 *
 * - `file`: its path; `-` is standard input
 * - `output`: where the better document goes; beside the original by default, and `-` is standard output
 * - `report`: where the report goes; beside the document by default, and nowhere with `false`
 * - `inPlace`: the better document takes the place of the original
 * - `force`: an output that exists is replaced
 */
export type Improve = Extract<Parsed, { readonly _tag: "Improve" }>

/** Why there is nothing to do, and whose help says more. */
export interface Refusal {
  readonly message: string
  readonly topic: Topic | undefined
}

/**
 * @param argv the arguments, without the program itself
 * @param env the environment
 * @param agents all that there are
 * @returns what to do, or why there is nothing
 */
export const parse = (
  argv: ReadonlyArray<string>,
  env: OptionTable.Environment,
  agents: Options.Agents,
): Result.Result<CommandLine, Refusal> => {
  const [name, ...rest] = argv
  const about = (topic: Topic, parsed: Result.Result<CommandLine, string>) =>
    Result.mapError(parsed, (message) => ({ message, topic }))
  if (name === "serve") return about("serve", serve(rest, env, agents))
  if (name === "improve") return about("improve", improve(rest, env, agents))
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    const [topic] = rest
    return Result.succeed({ _tag: "Help", topic: topic === "serve" || topic === "improve" ? topic : undefined })
  }
  if (name === "--version" || name === "-v") return Result.succeed({ _tag: "Version" })
  return Result.fail({
    message: `There is no command ${JSON.stringify(name)}; it is serve or improve.`,
    topic: undefined,
  })
}

const serve = (args: ReadonlyArray<string>, env: OptionTable.Environment, agents: Options.Agents) =>
  Result.gen(function* () {
    const parsed = yield* OptionTable.parse(args, { ...Options.serve(agents), ...Options.listening }, env)
    if (parsed === "help") return { _tag: "Help" as const, topic: "serve" as const }
    if (parsed === "version") return { _tag: "Version" as const }
    const [kind = "ws", extra] = parsed.positionals
    if (kind !== "ws" && kind !== "stdio" && kind !== "http") {
      return yield* Result.fail(`There is no ${JSON.stringify(kind)} to serve over; it is ws, stdio or http.`)
    }
    if (extra !== undefined) return yield* Result.fail(`${JSON.stringify(extra)} is one too many.`)
    return {
      _tag: "Serve" as const,
      transport: yield* ServeOptions.of(kind, parsed, "ws and http"),
      judge: yield* AgentChoice.judge(parsed, env, agents),
      ...common(parsed.values),
    }
  })

const improve = (args: ReadonlyArray<string>, env: OptionTable.Environment, agents: Options.Agents) =>
  Result.gen(function* () {
    const parsed = yield* OptionTable.parse(args, Options.improve(agents), env)
    if (parsed === "help") return { _tag: "Help" as const, topic: "improve" as const }
    if (parsed === "version") return { _tag: "Version" as const }
    const [file = "", ...extra] = parsed.positionals
    const { force, "in-place": inPlace, json, "no-report": noReport, output, quiet, report, rubric } = parsed.values
    const wrong: ReadonlyArray<readonly [boolean, string]> = [
      [file === "", "Which document? Name its file, or - for standard input."],
      [extra.length > 0, `One document at a time: ${JSON.stringify(extra[0])} is one too many.`],
      [output !== undefined && inPlace, "--output and --in-place contradict each other."],
      [report !== undefined && noReport, "--report and --no-report contradict each other."],
      [json && quiet, "--json and --quiet contradict each other."],
      [inPlace && file === "-", "--in-place needs a file, and - is standard input."],
      [
        json && (output === "-" || (file === "-" && output === undefined)),
        "--json has standard output to itself. Name a file with --output.",
      ],
      [report === "-", "--report takes the path of a file: standard output is for the document."],
      [output === "", "--output takes the path of a file."],
      [report === "", "--report takes the path of a file."],
    ]
    const [, problem] = wrong.find(([isWrong]) => isWrong) ?? []
    if (problem !== undefined) return yield* Result.fail(problem)
    return {
      _tag: "Improve" as const,
      file,
      judge: yield* AgentChoice.judge(parsed, env, agents),
      writer: yield* AgentChoice.writer(parsed.values, agents),
      rubric,
      output,
      report: noReport ? (false as const) : report,
      inPlace,
      force,
      json,
      quiet,
      ...common(parsed.values),
    }
  })

/** What both commands know. `logLevel`: the least that is written to standard error. */
const common = (
  values: Pick<OptionTable.Values<ReturnType<typeof Options.serve>>, "iterations" | "log-level" | "target">,
) => ({
  target: values.target,
  maxIterations: values.iterations,
  logLevel: values["log-level"],
})
