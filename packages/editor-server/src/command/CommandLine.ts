/**
 * What the command was asked to do, by its arguments; the environment stands in for those that are not there.
 */
import * as OptionTable from "@zain/command/OptionTable"
import * as OptionValue from "@zain/command/OptionValue"
import type { Target } from "@zain/editor-link/infrastructure/link/Target"
import type { ProfileCommand } from "@zain/editor-link/infrastructure/mcp/ProfileCommand"
import * as ServeOptions from "@zain/tool-server/ServeOptions"
import * as Result from "effect/Result"
import { checkOptions, options, ownOptions } from "./EditorOptions.ts"

const address = /^(\[[0-9a-fA-F:.]+\]|[\w.-]+):(\d{1,5})$/

/** `HOST:PORT`. */
const place = (given: string): Result.Result<Target, string> => {
  const [, host = "", port = "0"] = address.exec(given) ?? []
  return host === "" || Number(port) < 1 || Number(port) > 65_535
    ? OptionValue.refuse("--editor", "HOST:PORT or NAME=HOST:PORT, such as 127.0.0.1:6400", given)
    : Result.succeed({ host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) })
}

/** The options that do nothing without `--launch`. */
const withLaunch = ["file", "files"] as const

const listeningOf = ({ listening }: ProfileCommand) => ServeOptions.table(listening?.port ?? 0, listening?.variables)

/** What the values of `--editor` mean to a profile, each with a name before it or not. */
const editorsOf = (
  command: ProfileCommand,
  given: ReadonlyArray<string>,
  env: OptionTable.Environment,
): Result.Result<ReadonlyArray<Target>, string> =>
  Result.all(
    given.map((one) => {
      const [, name, where = one] = /^([\w-]{1,64})=(.*)$/s.exec(one) ?? []
      return Result.map((command.editor ?? place)(where, env), (target) =>
        name === undefined ? target : { name, ...target },
      )
    }),
  )

type Values<Table extends OptionTable.OptionTable> = OptionTable.Values<Table>

/** Serve a profile. */
export interface Serve {
  readonly _tag: "Serve"
  readonly command: ProfileCommand
  readonly editors: ReadonlyArray<Target>
  readonly transport: ServeOptions.Transport
  readonly values: Values<typeof options & typeof ownOptions>
}

/** Try each step to an editor. */
export interface Check {
  readonly _tag: "Check"
  readonly command: ProfileCommand
  readonly editors: ReadonlyArray<Target>
  readonly values: Values<typeof checkOptions>
}

/** Look for editors. */
export interface List {
  readonly _tag: "List"
  readonly json: boolean
}

/** Write the add-on of Blender to a file. */
export interface AddOn {
  readonly _tag: "AddOn"
  readonly file: string
}

export type CommandLine = Serve | Check | List | AddOn | { readonly _tag: "Help" } | { readonly _tag: "Version" }

/**
 * @param argv the arguments, without the program itself
 * @param env the environment
 * @param commands the profiles that there are
 * @returns what to do, or one sentence on what is wrong
 */
export const parse = (
  argv: ReadonlyArray<string>,
  env: OptionTable.Environment,
  commands: ReadonlyArray<ProfileCommand>,
): Result.Result<CommandLine, string> => {
  const [name, ...rest] = argv
  if (name === undefined || name === "help" || argv.includes("--help") || argv.includes("-h")) {
    return Result.succeed({ _tag: "Help" })
  }
  if (name === "--version" || name === "-v") return Result.succeed({ _tag: "Version" })
  if (name === "list") return list(rest, env)
  if (name === "addon") return addOn(rest)
  if (name === "check") return check(rest, env, commands)
  const command = commands.find((one) => one.name === name)
  return command === undefined ? Result.fail(unknown(name, commands)) : serve(command, rest, env)
}

const unknown = (name: string | undefined, commands: ReadonlyArray<ProfileCommand>) => {
  const known = OptionValue.inWords(commands.map((one) => one.name))
  return name === undefined
    ? `A profile is missing: expected ${known}.`
    : `Unknown profile or command ${JSON.stringify(name)}: expected ${known}, list, check or addon.`
}

const asked = (parsed: "help" | "version"): CommandLine => (parsed === "help" ? { _tag: "Help" } : { _tag: "Version" })

const none = (extra: string | undefined): Result.Result<void, string> =>
  extra === undefined ? Result.succeed(undefined) : Result.fail(`Unexpected argument ${JSON.stringify(extra)}.`)

const list = (args: ReadonlyArray<string>, env: OptionTable.Environment): Result.Result<CommandLine, string> =>
  Result.gen(function* () {
    const parsed = yield* OptionTable.parse(args, { json: checkOptions.json }, env)
    if (typeof parsed === "string") return asked(parsed)
    yield* none(parsed.positionals[0])
    return { _tag: "List" as const, json: parsed.values.json }
  })

const addOn = (args: ReadonlyArray<string>): Result.Result<CommandLine, string> =>
  Result.gen(function* () {
    const parsed = yield* OptionTable.parse(args, {})
    if (typeof parsed === "string") return asked(parsed)
    const [file, extra] = parsed.positionals
    if (file === undefined || !file.endsWith(".zip")) {
      return yield* Result.fail("addon takes the file to write, which ends with .zip, such as zain_bridge.zip.")
    }
    yield* none(extra)
    return { _tag: "AddOn" as const, file }
  })

const check = (
  args: ReadonlyArray<string>,
  env: OptionTable.Environment,
  commands: ReadonlyArray<ProfileCommand>,
): Result.Result<CommandLine, string> =>
  Result.gen(function* () {
    const parsed = yield* OptionTable.parse(args, checkOptions, env)
    if (typeof parsed === "string") return asked(parsed)
    const [name, extra] = parsed.positionals
    const command = commands.find((one) => one.name === name)
    if (command === undefined) return yield* Result.fail(unknown(name, commands))
    yield* none(extra)
    const editors = yield* editorsOf(command, parsed.values.editor, env)
    return { _tag: "Check" as const, command, editors, values: parsed.values }
  })

const serve = (
  command: ProfileCommand,
  args: ReadonlyArray<string>,
  env: OptionTable.Environment,
): Result.Result<CommandLine, string> =>
  Result.gen(function* () {
    const parsed = yield* OptionTable.parse(args, { ...options, ...ownOptions, ...listeningOf(command) }, env)
    if (typeof parsed === "string") return asked(parsed)
    const [kind = "stdio", extra] = parsed.positionals
    if (kind !== "stdio" && kind !== "http" && kind !== "sse" && kind !== "ws") {
      return yield* Result.fail(`Unknown transport ${JSON.stringify(kind)}: expected stdio, http, sse or ws.`)
    }
    yield* none(extra)
    const { compact, editor, fake, launch, replay } = parsed.values
    const { given } = parsed
    const { ownOptions: own = [] } = command
    const isElsewhere = fake || replay !== undefined
    const misplaced = given.find((name) => name in ownOptions && !own.includes(name))
    const unused = withLaunch.find((name) => !launch && given.includes(name))
    const against = ["editor", "fake", "replay"].find((name) => launch && given.includes(name))
    const problems: ReadonlyArray<readonly [isWrong: boolean, sentence: string]> = [
      [misplaced !== undefined, `--${misplaced} is not for ${command.name}.`],
      [unused !== undefined, `--${unused} requires --launch.`],
      [against !== undefined, `--launch and --${against} contradict each other.`],
      [compact && command.select === undefined, `--compact is not for ${command.name}, which has no search_tools.`],
      [fake && replay !== undefined, "--fake and --replay contradict each other."],
      [isElsewhere && editor.length > 0, `--${fake ? "fake" : "replay"} replaces --editor: pass one of them.`],
    ]
    const problem = problems.find(([isWrong]) => isWrong)
    if (problem !== undefined) return yield* Result.fail(problem[1])
    const editors = yield* editorsOf(command, editor, env)
    const names = editors.map((one) => one.name)
    if (editors.length > 1 && (names.includes(undefined) || new Set(names).size < names.length)) {
      return yield* Result.fail("Several editors require names: --editor NAME=HOST:PORT.")
    }
    return {
      _tag: "Serve" as const,
      command,
      editors,
      transport: yield* ServeOptions.of(kind, parsed, "http, sse and ws"),
      values: parsed.values,
    }
  })
