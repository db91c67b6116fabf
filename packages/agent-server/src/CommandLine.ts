/**
 * What a command of this package was asked to do, by its arguments.
 */
import * as FrontOptions from "@zain/tool-server/FrontOptions"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"

/**
 * What is different about a command.
 *
 * - `name`: its own name
 * - `program`: the agent's program, as it is called on PATH
 * - `title`: what people call the agent
 */
export interface CommandName {
  readonly name: string
  readonly program: string
  readonly title: string
}

/**
 * - `command`, `agentArgs`: the agent's program, and arguments for it
 * - `passed`: variables that reach the agent beside the usual ones
 * - `roots`: directories inside which threads work, as they were given
 */
export interface Serve {
  readonly _tag: "Serve"
  readonly front: FrontOptions.Front
  readonly command: string
  readonly agentArgs: ReadonlyArray<string>
  readonly passed: ReadonlyArray<string>
  readonly roots: ReadonlyArray<string>
  readonly approvalTimeout: Duration.Duration
  readonly modelPatience: Duration.Duration
}

export type CommandLine = Serve | { readonly _tag: "Help" } | { readonly _tag: "Version" }

const text = { type: "string" } as const
const texts = { type: "string", multiple: true } as const
const flag = { type: "boolean" } as const

const options = {
  command: text,
  env: texts,
  root: texts,
  "approval-timeout": text,
  "model-patience": text,
  ...FrontOptions.options,
  help: { ...flag, short: "h" },
  version: { ...flag, short: "v" },
} as const

/**
 * @param argv the arguments, without the program itself
 * @param about the command
 * @returns what to do, or one sentence on what is wrong
 */
export const parse = (argv: ReadonlyArray<string>, about: CommandName): Result.Result<CommandLine, string> =>
  Result.gen(function* () {
    const end = argv.indexOf("--")
    const own = end < 0 ? argv : argv.slice(0, end)
    const agentArgs = end < 0 ? [] : argv.slice(end + 1)
    const { positionals, values } = yield* FrontOptions.read(own, options)
    if (values.help) return { _tag: "Help" as const }
    if (values.version) return { _tag: "Version" as const }
    const [kind = "stdio", extra] = positionals
    if (kind !== "stdio" && kind !== "http" && kind !== "sse") {
      return yield* Result.fail(
        `There is no ${kind}; it is stdio, http or sse. Arguments for ${about.program} follow --.`,
      )
    }
    if (extra !== undefined) {
      return yield* Result.fail(`${extra} is one too many. Arguments for ${about.program} follow --.`)
    }
    const unset = (values.env ?? []).find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    if (unset !== undefined) {
      return yield* Result.fail("--env takes the name of a variable, such as MY_PROVIDER_KEY, and passes its value on.")
    }
    const front = yield* FrontOptions.parse(kind, values, "http and sse")
    return {
      _tag: "Serve" as const,
      front,
      command: values.command ?? about.program,
      agentArgs,
      passed: values.env ?? [],
      roots: values.root ?? [],
      approvalTimeout: yield* FrontOptions.duration("--approval-timeout", values["approval-timeout"] ?? "5 minutes"),
      modelPatience:
        values["model-patience"] === undefined
          ? Duration.infinity
          : yield* FrontOptions.duration("--model-patience", values["model-patience"]),
    }
  })

/** What `--help` says. */
export const help = ({ name, program, title }: CommandName): string => `${title} as an MCP server.

Usage: ${name} [stdio | http | sse] [options] [-- arguments for ${program}]

  stdio   one client, on standard input and output (default)
  http    any number of clients, over Streamable HTTP at /mcp
  sse     the same over HTTP with server-sent events, at /sse and /message

Options:
  --command PATH           the agent's program (default: ${program}, looked up on PATH)
  --env NAME               passes one more variable on to the agent; repeatable
  --root DIR               refuses all work outside of this directory; repeatable. Of http and sse, a token may have its
                           own: its line of the token file is then TOKEN DIR
  --approval-timeout TIME  how long a client may take to decide what the agent asks (default: "5 minutes")
  --model-patience TIME    how long a model may be out of reach before its turn ends (default: as long as the agent tries)
  -h, --help               this text
  -v, --version            the version

Options of http and sse:
${FrontOptions.help()}

Examples:
  ${name}
  ${name} --root ~/project
  ${name} http --port 8931
  ${name} http --host 0.0.0.0 --port 8931 --token-file ~/.zain-tokens --allow-host agents.example:8931
  ${name} --env MY_PROVIDER_KEY -- --some-flag-of-${program}
`
