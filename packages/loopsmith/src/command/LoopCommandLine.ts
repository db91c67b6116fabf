/**
 * Parses the arguments; variables of the environment are the defaults of some options.
 */

import * as OptionTable from "@zain/command/OptionTable"
import { inWords } from "@zain/command/OptionValue"
import * as ServeOptions from "@zain/tool-server/ServeOptions"
import * as Result from "effect/Result"
import * as AgentChoice from "./AgentChoice.ts"
import * as Options from "./Options.ts"

/** The names of the two commands. */
export type Topic = "improve" | "serve"

type Parsed = Result.Result.Success<ReturnType<typeof serve | typeof improve>>

export type CommandLine = Parsed | { readonly _tag: "Help"; readonly topic: undefined }

/** `loopsmith serve`. */
export type Serve = Extract<Parsed, { readonly _tag: "Serve" }>

/**
 * `loopsmith improve`.
 *
 * - `file`: the path of the document; `-` is standard input
 * - `output`: the path of the better document; `-` is standard output. Default: beside the original
 * - `report`: the path of the report; `false` for none. Default: beside the document
 * - `inPlace`: the better document replaces the original
 * - `force`: outputs that exist are replaced
 */
export type Improve = Extract<Parsed, { readonly _tag: "Improve" }>

/** The problem with the arguments, and the command whose help describes them. */
export interface Refusal {
  readonly message: string
  readonly topic: Topic | undefined
}

/**
 * Parses a command line.
 *
 * @param argv the arguments, without the program itself
 * @param env the environment
 * @param agents every known agent
 * @returns the command. Fails with the problem
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
    message: `Unknown command ${JSON.stringify(name)}; expected serve or improve.`,
    topic: undefined,
  })
}

/** The transports that can be chosen. */
const transports = ["stdio", "http", "ws"] as const

const serve = (args: ReadonlyArray<string>, env: OptionTable.Environment, agents: Options.Agents) =>
  Result.gen(function* () {
    const parsed = yield* OptionTable.parse(
      args,
      { ...Options.serve(agents), ...ServeOptions.pipes, ...Options.listening },
      env,
    )
    if (parsed === "help") return { _tag: "Help" as const, topic: "serve" as const }
    if (parsed === "version") return { _tag: "Version" as const }
    const [given, extra] = parsed.positionals
    const kind = given === undefined ? "both" : transports.find((one) => one === given)
    if (kind === undefined) {
      return yield* Result.fail(`Unknown transport ${JSON.stringify(given)}; expected ${inWords(transports)}.`)
    }
    if (extra !== undefined) return yield* Result.fail(`Unexpected argument ${JSON.stringify(extra)}.`)
    return {
      _tag: "Serve" as const,
      transport: yield* ServeOptions.of(kind, parsed, "servers that listen"),
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
      [file === "", "FILE is missing. Name the document's file, or - for standard input."],
      [extra.length > 0, `Unexpected argument ${JSON.stringify(extra[0])}: improve takes one document.`],
      [output !== undefined && inPlace, "--output and --in-place cannot be combined."],
      [report !== undefined && noReport, "--report and --no-report cannot be combined."],
      [json && quiet, "--json and --quiet cannot be combined."],
      [inPlace && file === "-", "--in-place requires a file; - is standard input."],
      [
        json && (output === "-" || (file === "-" && output === undefined)),
        "--json prints events on standard output. Name a file for the document with --output.",
      ],
      [report === "-", "--report requires the path of a file; standard output is for the document."],
      [output === "", "--output requires the path of a file."],
      [report === "", "--report requires the path of a file."],
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

/** The settings of both commands. `logLevel`: the lowest level that is logged. */
const common = (
  values: Pick<OptionTable.Values<ReturnType<typeof Options.serve>>, "iterations" | "log-level" | "target">,
) => ({
  target: values.target,
  maxIterations: values.iterations,
  logLevel: values["log-level"],
})
