/**
 * The options of a command as a table, from which the arguments are parsed and the help is written.
 */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util"
import * as Result from "effect/Result"
import type { Reader } from "./OptionValue.ts"

/** One option. */
export interface Option<A> {
  /** `flag` has no value, `one` has one, and `many` may be repeated. */
  readonly kind: "flag" | "one" | "many"
  /** The name of its value in the help; absent for a flag. */
  readonly takes?: string
  /** Its description in the help; a line break starts a new line of the help. */
  readonly help: string
  /** Its name of one letter. */
  readonly short?: string
  /** The environment variable that is read if the option is not given. */
  readonly variable?: string
  /** Reads a value. */
  readonly read: Reader<unknown>
  /** The default. */
  readonly otherwise: A
}

/** The options of a command by their names, without the dashes. */
export type OptionTable = Readonly<Record<string, Option<unknown>>>

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The values of the options of a table. */
export type Values<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Option<infer A> ? A : never
}

/** A parsed command line. */
export interface Parsed<Table extends OptionTable> {
  /** The values of the options, or their defaults. */
  readonly values: Values<Table>
  /** The arguments that are not options. */
  readonly positionals: ReadonlyArray<string>
  /** The names of the options on the command line. */
  readonly given: ReadonlyArray<string>
}

/** Makes an option without a value. */
export const flag = (help: string, short?: string): Option<boolean> => ({
  kind: "flag",
  help,
  read: Result.succeed,
  otherwise: false,
  ...(short === undefined ? {} : { short }),
})

/** Makes an option with a value, `undefined` by default. */
export const one = <A>(
  takes: string,
  read: Reader<A>,
  help: string,
  more: Pick<Option<unknown>, "short" | "variable"> = {},
): Option<A | undefined> => ({ kind: "one", takes, read, help, otherwise: undefined, ...more })

/** Makes an option with a value and a default. */
export const oneOr = <A>(
  takes: string,
  read: Reader<A>,
  otherwise: A,
  help: string,
  more: Pick<Option<unknown>, "short" | "variable"> = {},
): Option<A> => ({ kind: "one", takes, read, help, otherwise, ...more })

/** Makes an option that may be repeated. */
export const many = <A>(takes: string, read: Reader<A>, help: string): Option<ReadonlyArray<A>> => ({
  kind: "many",
  takes,
  read,
  help,
  otherwise: [],
})

/** The options that every command has. */
const standard = { help: flag("print this help", "h"), version: flag("print the version", "v") }

/**
 * Parses the arguments of a command.
 *
 * @param args the arguments, without the command's name
 * @param env the environment variables for options that are not given; blank variables are ignored
 * @returns the values; `"help"` or `"version"` for `--help` or `--version`, even beside invalid values; or one sentence that
 *   describes the error
 */
export const parse = <Table extends OptionTable>(
  args: ReadonlyArray<string>,
  table: Table,
  env: Environment = {},
): Result.Result<Parsed<Table> | "help" | "version", string> =>
  Result.gen(function* () {
    const { positionals, values } = yield* split(args, { ...table, ...standard })
    if (values["help"] === true) return "help"
    if (values["version"] === true) return "version"
    const read: Record<string, unknown> = {}
    for (const [name, option] of Object.entries(table)) read[name] = yield* meaning(name, option, values[name], env)
    return { values: read as Values<Table>, positionals, given: Object.keys(values) }
  })

const split = (args: ReadonlyArray<string>, table: OptionTable) => {
  const options: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries(table).map(([name, { kind, short }]) => [
      name,
      {
        type: kind === "flag" ? "boolean" : "string",
        multiple: kind === "many",
        ...(short === undefined ? {} : { short }),
      } as const,
    ]),
  )
  return Result.try({
    try: () => parseArgs({ args: [...args], options, allowPositionals: true, strict: true }),
    catch: (cause) => (cause instanceof Error ? (cause.message.split(/\. To |\n/)[0] ?? cause.message) : String(cause)),
  })
}

const meaning = (name: string, option: Option<unknown>, given: unknown, env: Environment) => {
  const { otherwise, read, variable } = option
  if (Array.isArray(given)) return Result.all(given.map((one) => read(`--${name}`, one)))
  if (typeof given === "string") return read(`--${name}`, given)
  if (given !== undefined) return Result.succeed(given)
  return variable === undefined ? Result.succeed(otherwise) : fromVariable(env, variable, read, otherwise)
}

/** Reads an environment variable; `otherwise` if it is not set or blank. */
export const fromVariable = <A, B>(env: Environment, name: string, read: Reader<A>, otherwise: B) => {
  const given = env[name]?.trim() ?? ""
  return given === "" ? Result.succeed<A | B>(otherwise) : (read(name, given) as Result.Result<A | B, string>)
}

/** The start of the second column of the help. */
const column = 27

/** Returns the lines of the help for these options. */
export const help = (table: OptionTable): string =>
  Object.entries(table)
    .map(([name, { help, short, takes }]) => {
      const names = `${short === undefined ? "" : `-${short}, `}--${name}${takes === undefined ? "" : ` ${takes}`}`
      return `  ${names} `.padEnd(column) + help.replaceAll("\n", `\n${" ".repeat(column)}`)
    })
    .join("\n")

/** The lines of the help for the options that every command has. */
export const standardHelp: string = help(standard)
