/**
 * The command line of an agent's server.
 */

import * as OptionTable from "@zain/command/OptionTable"
import * as OptionValue from "@zain/command/OptionValue"
import * as ServeOptions from "@zain/tool-server/ServeOptions"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"

/** What differs between the servers' commands. */
export interface CommandName {
  /** Name of the command. */
  readonly name: string
  /** The agent's program, as it is named on PATH. */
  readonly program: string
  /** Name of the agent, for people. */
  readonly title: string
}

/** A parsed command line. */
export type CommandLine = Result.Result.Success<ReturnType<typeof parse>>

/** A command line that starts a server. Its `roots` are as given, not yet resolved. */
export type Serve = Extract<CommandLine, { readonly _tag: "Serve" }>

const listening = ServeOptions.table()

/** @param program name of the agent's program on PATH */
const own = (program: string) => ({
  command: OptionTable.oneOr(
    "PATH",
    OptionValue.text,
    program,
    `the agent's program (default: ${program}, looked up on PATH)`,
  ),
  env: OptionTable.many("NAME", OptionValue.variableName, "passes one more variable on to the agent; repeatable"),
  root: OptionTable.many(
    "DIR",
    OptionValue.text,
    "refuses all work outside of this directory; repeatable. With http and sse, a token may have its\nown: its line of the token file is then TOKEN DIR",
  ),
  "approval-timeout": OptionTable.oneOr(
    "TIME",
    OptionValue.duration,
    Duration.minutes(5),
    "how long a client may take to decide an approval (default: 5m)",
  ),
  "model-timeout": OptionTable.oneOr(
    "TIME",
    OptionValue.duration,
    Duration.infinity,
    "how long a model may be unreachable before its turn ends (default: as long as the agent retries), or\nsilent before heartbeats stop (default: 15m)",
  ),
  "accept-timeout": OptionTable.oneOr(
    "TIME",
    OptionValue.duration,
    Duration.seconds(30),
    "how long the agent may take to accept a turn before it ends (default: 30s)",
  ),
  ...ServeOptions.pipes,
})

/** All options of a command by name. */
export const options = (program: string) => ({ ...own(program), ...listening })

/**
 * Parses a command line.
 *
 * @param argv the arguments, without the program itself
 * @param about the command
 * @returns the parsed command line, or one sentence on what is wrong
 */
export const parse = (argv: ReadonlyArray<string>, about: CommandName) =>
  Result.gen(function* () {
    const end = argv.indexOf("--")
    const agentArgs = end < 0 ? [] : argv.slice(end + 1)
    const parsed = yield* OptionTable.parse(end < 0 ? argv : argv.slice(0, end), options(about.program))
    if (parsed === "help") return { _tag: "Help" as const }
    if (parsed === "version") return { _tag: "Version" as const }
    const { positionals, values } = parsed
    const [kind = "stdio", extra] = positionals
    if (kind !== "stdio" && kind !== "shared" && kind !== "http" && kind !== "sse") {
      return yield* Result.fail(
        `Unknown transport \`${kind}\`; expected stdio, shared, http or sse. Arguments for ${about.program} follow --.`,
      )
    }
    if (extra !== undefined) {
      return yield* Result.fail(`Unexpected argument \`${extra}\`. Arguments for ${about.program} follow --.`)
    }
    return {
      _tag: "Serve" as const,
      isShared: kind === "shared",
      transport: yield* ServeOptions.of(kind === "shared" ? "stdio" : kind, parsed, "http and sse"),
      command: values.command,
      agentArgs,
      passed: values.env,
      roots: values.root,
      approvalTimeout: values["approval-timeout"],
      modelTimeout: values["model-timeout"],
      acceptTimeout: values["accept-timeout"],
    }
  })

/** The text of `--help`. */
export const help = ({ name, program, title }: CommandName): string => `${title} as an MCP server.

Usage: ${name} [stdio | shared | http | sse] [options] [-- arguments for ${program}]

  stdio   one client, on standard input and output (default)
  shared  the sessions of one program that uses Zain, each on a connection of its own
  http    any number of clients, over Streamable HTTP at /mcp
  sse     the same over HTTP with server-sent events, at /sse and /message

Options:
${OptionTable.help(own(program))}
${OptionTable.standardHelp}

Options of http and sse:
${OptionTable.help(listening)}

Examples:
  ${name}
  ${name} --root ~/project
  ${name} http --port 8931
  ${name} http --host 0.0.0.0 --port 8931 --token-file ~/.zain-tokens --allow-host agents.example:8931
  ${name} --env MY_PROVIDER_KEY -- --some-flag-of-${program}
`
