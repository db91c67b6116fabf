/**
 * The options of a command as a table, from which they are parsed and its help is written.
 */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util"
import * as Result from "effect/Result"
import type { Reader } from "./OptionValue.ts"

/**
 * One option.
 *
 * - `takes`: what its value is called in the help; a flag takes none
 * - `help`: what it is for; a line break begins a line of the help
 * - `short`: its other name, of one letter
 * - `variable`: the environment variable that stands in for it
 * - `read`: what its values mean
 * - `otherwise`: its value where neither is given
 */
export interface Option<A> {
  readonly kind: "flag" | "one" | "many"
  readonly takes?: string
  readonly help: string
  readonly short?: string
  readonly variable?: string
  readonly read: Reader<unknown>
  readonly otherwise: A
}

/** The options of a command by their names, without the dashes. */
export type OptionTable = Readonly<Record<string, Option<unknown>>>

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What the options of a table mean. */
export type Values<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Option<infer A> ? A : never
}

/** `given`: the names of the options that are on the command line. */
export interface Parsed<Table extends OptionTable> {
  readonly values: Values<Table>
  readonly positionals: ReadonlyArray<string>
  readonly given: ReadonlyArray<string>
}

/** An option without a value. */
export const flag = (help: string, short?: string): Option<boolean> => ({
  kind: "flag",
  help,
  read: Result.succeed,
  otherwise: false,
  ...(short === undefined ? {} : { short }),
})

/** An option with a value. */
export const one = <A>(
  takes: string,
  read: Reader<A>,
  help: string,
  more: Pick<Option<unknown>, "short" | "variable"> = {},
): Option<A | undefined> => ({ kind: "one", takes, read, help, otherwise: undefined, ...more })

/** An option with a value, which is `otherwise` where it is not given. */
export const oneOr = <A>(
  takes: string,
  read: Reader<A>,
  otherwise: A,
  help: string,
  more: Pick<Option<unknown>, "short" | "variable"> = {},
): Option<A> => ({ kind: "one", takes, read, help, otherwise, ...more })

/** An option that may be given any number of times. */
export const many = <A>(takes: string, read: Reader<A>, help: string): Option<ReadonlyArray<A>> => ({
  kind: "many",
  takes,
  read,
  help,
  otherwise: [],
})

/** The options that every command has. */
const standard = { help: flag("this text", "h"), version: flag("the version", "v") }

/**
 * @param args the arguments, without the command's name
 * @param env what stands in for arguments that are not given; a variable that is blank does not
 * @returns what they mean; `"help"` or `"version"` where that is asked for, whatever else is wrong; or one sentence on
 *   what is wrong
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

/** What a variable means, or `otherwise` where it is not set, or blank. */
export const fromVariable = <A, B>(env: Environment, name: string, read: Reader<A>, otherwise: B) => {
  const given = env[name]?.trim() ?? ""
  return given === "" ? Result.succeed<A | B>(otherwise) : (read(name, given) as Result.Result<A | B, string>)
}

/** Where the second column of a help begins. */
const column = 27

/** The lines of a help on these options. */
export const help = (table: OptionTable): string =>
  Object.entries(table)
    .map(([name, { help, short, takes }]) => {
      const names = `${short === undefined ? "" : `-${short}, `}--${name}${takes === undefined ? "" : ` ${takes}`}`
      return `  ${names} `.padEnd(column) + help.replaceAll("\n", `\n${" ".repeat(column)}`)
    })
    .join("\n")

/** The lines on the options that every command has. */
export const standardHelp: string = help(standard)
