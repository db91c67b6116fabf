/**
 * What the command was asked to do, by its arguments; the environment stands in for those that are not there.
 */
import * as FrontOptions from "@zain/tool-server/FrontOptions"
import * as Result from "effect/Result"
import * as Rubric from "../Rubric.ts"
import * as AgentChoice from "./AgentChoice.ts"
import * as OptionValue from "./OptionValue.ts"
import * as Settings from "./Settings.ts"

/** What both commands know. `logLevel`: the least that is told on standard error. */
interface Common {
  readonly judge: AgentChoice.Judge
  readonly target: number
  readonly maxIterations: number
  readonly logLevel: OptionValue.LogLevel
}

/** Serve the tools to MCP clients. */
export interface Serve extends Common {
  readonly _tag: "Serve"
  readonly front: FrontOptions.Front
}

/**
 * Improve a document.
 *
 * - `file`: its path; `-` is standard input
 * - `output`: where the better document goes; beside the original by default, and `-` is standard output
 * - `report`: where the report goes; beside the document by default, and nowhere with `false`
 * - `inPlace`: the better document takes the place of the original
 * - `force`: an output that exists is replaced
 */
export interface Improve extends Common {
  readonly _tag: "Improve"
  readonly file: string
  readonly writer: AgentChoice.AgentChoice
  readonly rubric: Rubric.Rubric
  readonly output: string | undefined
  readonly report: string | false | undefined
  readonly inPlace: boolean
  readonly force: boolean
  readonly json: boolean
  readonly quiet: boolean
}

/** The two commands, by their names. */
export type Topic = "improve" | "serve"

export type CommandLine =
  | Serve
  | Improve
  | { readonly _tag: "Help"; readonly topic: Topic | undefined }
  | { readonly _tag: "Version" }

/** Why there is nothing to do, and whose help says more. */
export interface Refusal {
  readonly message: string
  readonly topic: Topic | undefined
}

const text = { type: "string" } as const
const flag = { type: "boolean" } as const

const common = {
  ...AgentChoice.judgeOptions,
  target: text,
  iterations: text,
  "log-level": text,
  help: { ...flag, short: "h" },
  version: { ...flag, short: "v" },
} as const

/** The options of `serve`, as `node:util` parses them. */
export const serveOptions = { ...common, ...FrontOptions.options } as const

/** The options of `improve`. */
export const improveOptions = {
  ...common,
  ...AgentChoice.writerOptions,
  rubric: text,
  output: { ...text, short: "o" },
  report: text,
  "no-report": flag,
  "in-place": flag,
  force: { ...flag, short: "f" },
  json: flag,
  quiet: { ...flag, short: "q" },
} as const

/**
 * @param argv the arguments, without the program itself
 * @param env the variables
 * @returns what to do, or why not
 */
export const parse = (argv: ReadonlyArray<string>, env: Settings.Environment): Result.Result<CommandLine, Refusal> => {
  const [name, ...rest] = argv
  if (name === "serve") return about("serve", serve(rest, env))
  if (name === "improve") return about("improve", improve(rest, env))
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

const about = (topic: Topic, parsed: Result.Result<CommandLine, string>): Result.Result<CommandLine, Refusal> =>
  Result.mapError(parsed, (message) => ({ message, topic }))

const serve = (args: ReadonlyArray<string>, env: Settings.Environment): Result.Result<CommandLine, string> =>
  Result.gen(function* () {
    const { positionals, values } = yield* FrontOptions.read(args, serveOptions)
    if (values.help) return { _tag: "Help" as const, topic: "serve" as const }
    if (values.version) return { _tag: "Version" as const }
    const [kind = "ws", extra] = positionals
    if (kind !== "ws" && kind !== "stdio" && kind !== "http") {
      return yield* Result.fail(`There is no ${JSON.stringify(kind)} to serve over; it is ws, stdio or http.`)
    }
    if (extra !== undefined) return yield* Result.fail(`${JSON.stringify(extra)} is one too many.`)
    const settings = yield* Settings.read(env)
    return {
      _tag: "Serve" as const,
      front: yield* FrontOptions.parse(kind, values, "ws and http", settings),
      judge: yield* AgentChoice.judge(values, settings),
      ...(yield* limits(values, settings, "info")),
    }
  })

const improve = (args: ReadonlyArray<string>, env: Settings.Environment): Result.Result<CommandLine, string> =>
  Result.gen(function* () {
    const { positionals, values } = yield* FrontOptions.read(args, improveOptions)
    if (values.help) return { _tag: "Help" as const, topic: "improve" as const }
    if (values.version) return { _tag: "Version" as const }
    const [file, extra] = positionals
    if (file === undefined || file === "")
      return yield* Result.fail("Which document? Name its file, or - for standard input.")
    if (extra !== undefined)
      return yield* Result.fail(`One document at a time: ${JSON.stringify(extra)} is one too many.`)
    const { force = false, json = false, output, quiet = false, report } = values
    const inPlace = values["in-place"] ?? false
    const conflict = conflicts.find(([one, other]) => values[one] && values[other])
    if (conflict !== undefined)
      return yield* Result.fail(`--${conflict[0]} and --${conflict[1]} contradict each other.`)
    if (inPlace && file === "-") return yield* Result.fail("--in-place needs a file, and - is standard input.")
    if (json && (output === "-" || (file === "-" && output === undefined))) {
      return yield* Result.fail("--json has standard output to itself. Name a file with --output.")
    }
    const empty = (["output", "report"] as const).find((name) => values[name] === "")
    if (report === "-")
      return yield* Result.fail("--report takes the path of a file: standard output is for the document.")
    if (empty !== undefined) return yield* Result.fail(`--${empty} takes the path of a file.`)
    const settings = yield* Settings.read(env)
    return {
      _tag: "Improve" as const,
      file,
      judge: yield* AgentChoice.judge(values, settings),
      writer: yield* AgentChoice.writer(values),
      rubric: yield* rubric(values.rubric),
      output,
      report: values["no-report"] ? (false as const) : report,
      inPlace,
      force,
      json,
      quiet,
      ...(yield* limits(values, settings, "warn")),
    }
  })

const conflicts = [
  ["output", "in-place"],
  ["report", "no-report"],
  ["json", "quiet"],
] as const

const limits = (
  values: { readonly target?: string; readonly iterations?: string; readonly "log-level"?: string },
  settings: Settings.Settings,
  usualLevel: OptionValue.LogLevel,
): Result.Result<Omit<Common, "judge">, string> =>
  Result.gen(function* () {
    const { iterations, "log-level": level, target } = values
    return {
      target: target === undefined ? settings.target : yield* OptionValue.score("--target", target),
      maxIterations:
        iterations === undefined
          ? settings.maxIterations
          : yield* FrontOptions.wholeNumber("--iterations", iterations, Settings.mostIterations, 1),
      logLevel:
        level === undefined
          ? (settings.logLevel ?? usualLevel)
          : yield* OptionValue.oneOf(OptionValue.logLevels)("--log-level", level),
    }
  })

const rubric = (given: string | undefined): Result.Result<Rubric.Rubric, string> =>
  given === undefined
    ? Result.succeed(Rubric.defaults)
    : Result.flatMap(OptionValue.weights("--rubric", given), (weights) =>
        Result.mapError(Rubric.make(weights), (problem) => `--rubric: ${problem}`),
      )
