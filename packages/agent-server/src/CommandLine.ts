/**
 * What a command of this package was asked to do, by its arguments.
 */
import { parseArgs } from "node:util"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
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

/** How clients reach the server. */
export type Front =
  | { readonly kind: "stdio" }
  | {
      readonly kind: "http" | "sse"
      readonly host: string
      readonly port: number
      readonly tokenFile: string | undefined
      readonly allowedHosts: ReadonlyArray<string>
      readonly allowedOrigins: ReadonlyArray<string>
      readonly maxSessions: number | undefined
      readonly sessionIdle: Duration.Duration | undefined
      readonly json: boolean
    }

/**
 * - `command`, `agentArgs`: the agent's program, and arguments for it
 * - `passed`: variables that reach the agent beside the usual ones
 */
export interface Serve {
  readonly _tag: "Serve"
  readonly front: Front
  readonly command: string
  readonly agentArgs: ReadonlyArray<string>
  readonly passed: ReadonlyArray<string>
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
  "approval-timeout": text,
  "model-patience": text,
  host: text,
  port: text,
  "token-file": text,
  "allow-host": texts,
  "allow-origin": texts,
  "max-sessions": text,
  "session-idle": text,
  json: flag,
  help: { ...flag, short: "h" },
  version: { ...flag, short: "v" },
} as const

const onlyOverHttp = [
  "host",
  "port",
  "token-file",
  "allow-host",
  "allow-origin",
  "max-sessions",
  "session-idle",
  "json",
]

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
    const { positionals, values } = yield* read(own)
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
    const misplaced = kind === "stdio" ? onlyOverHttp.find((name) => name in values) : undefined
    if (misplaced !== undefined) return yield* Result.fail(`--${misplaced} is for http and sse only.`)
    const unset = (values.env ?? []).find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    if (unset !== undefined) {
      return yield* Result.fail("--env takes the name of a variable, such as MY_PROVIDER_KEY, and passes its value on.")
    }
    const front: Front =
      kind === "stdio"
        ? { kind }
        : {
            kind,
            host: values.host ?? "127.0.0.1",
            port: yield* wholeNumber("port", values.port ?? "0", 65_535),
            tokenFile: values["token-file"],
            allowedHosts: values["allow-host"] ?? [],
            allowedOrigins: values["allow-origin"] ?? [],
            maxSessions: yield* optional("max-sessions", values["max-sessions"], (name, given) =>
              wholeNumber(name, given, 1_000_000, 1),
            ),
            sessionIdle: yield* optional("session-idle", values["session-idle"], duration),
            json: values.json ?? false,
          }
    return {
      _tag: "Serve" as const,
      front,
      command: values.command ?? about.program,
      agentArgs,
      passed: values.env ?? [],
      approvalTimeout: yield* duration("approval-timeout", values["approval-timeout"] ?? "5 minutes"),
      modelPatience: yield* duration("model-patience", values["model-patience"] ?? "30 seconds"),
    }
  })

const read = (args: ReadonlyArray<string>) =>
  Result.try({
    try: () => parseArgs({ args: [...args], options, allowPositionals: true, strict: true }),
    catch: (cause) => (cause instanceof Error ? (cause.message.split(/\. To |\n/)[0] ?? cause.message) : String(cause)),
  })

const optional = <A>(
  name: string,
  given: string | undefined,
  as: (name: string, given: string) => Result.Result<A, string>,
): Result.Result<A | undefined, string> => (given === undefined ? Result.succeed(undefined) : as(name, given))

const wholeNumber = (name: string, given: string, max: number, min = 0): Result.Result<number, string> =>
  /^\d{1,9}$/.test(given) && Number(given) >= min && Number(given) <= max
    ? Result.succeed(Number(given))
    : Result.fail(`--${name} takes a whole number from ${min} to ${max}, not ${JSON.stringify(given)}.`)

const duration = (name: string, given: string): Result.Result<Duration.Duration, string> => {
  const read = Duration.fromInput(given as Duration.Input)
  return Option.isSome(read) && Duration.isPositive(read.value)
    ? Result.succeed(read.value)
    : Result.fail(`--${name} takes a duration such as "30 seconds" or "5 minutes", not ${JSON.stringify(given)}.`)
}

/** What `--help` says. */
export const help = ({ name, program, title }: CommandName): string => `${title} as an MCP server.

Usage: ${name} [stdio | http | sse] [options] [-- arguments for ${program}]

  stdio   one client, on standard input and output (default)
  http    any number of clients, over Streamable HTTP at /mcp
  sse     the same over HTTP with server-sent events, at /sse and /message

Options:
  --command PATH           the agent's program (default: ${program}, looked up on PATH)
  --env NAME               passes one more variable on to the agent; repeatable
  --approval-timeout TIME  how long a client may take to decide what the agent asks (default: "5 minutes")
  --model-patience TIME    how long a model may be out of reach before its turn ends (default: "30 seconds")
  -h, --help               this text
  -v, --version            the version

Options of http and sse:
  --host HOST              the address to listen on (default: 127.0.0.1); another one needs --token-file
  --port PORT              the port to listen on (default: any free one)
  --token-file FILE        bearer tokens, one a line, in a file that only its owner can read
  --allow-host HOST        one more name that clients may call this server by; repeatable
  --allow-origin ORIGIN    a web page's origin that may use this server; repeatable
  --max-sessions COUNT     how many clients there may be at once
  --session-idle TIME      when a client without request, stream or turn is forgotten (default: "30 minutes")
  --json                   also prints where it listens as one line of JSON on standard output

Examples:
  ${name}
  ${name} http --port 8931
  ${name} http --host 0.0.0.0 --port 8931 --token-file ~/.zain-tokens --allow-host agents.example:8931
  ${name} --env MY_PROVIDER_KEY -- --some-flag-of-${program}
`
