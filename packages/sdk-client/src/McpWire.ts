/**
 * A connection that carries messages, whatever it is made of. The seam between transports and sessions.
 */
import { basename } from "node:path"
import type { Parsed } from "@zain/core/McpConnectionConfig"
import type { McpDiagnostics, McpError } from "@zain/core/McpError"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { JsonBounds } from "./JsonBounds.ts"
import type { JsonRpcId, JsonRpcMessage } from "./JsonRpc.ts"

/**
 * - `message`: one message of the server, in wire order
 * - `failed`: something could not be sent or read, and the wire goes on. `id`: the request it concerns, where it is known
 * - `ended`: the server is gone. Told once; nothing follows
 */
export interface WireListener {
  readonly message: (message: JsonRpcMessage) => void
  readonly failed: (error: McpError, id?: JsonRpcId) => void
  readonly ended: (error: McpError) => void
}

/**
 * - `listen`: who hears the server, named once and before the first `send`
 * - `send`: puts a message on the wire. Never throws; on a wire that has ended it does nothing. A promise ends, and never
 *   rejects, when the server has taken the message, on a wire where that can be known
 * - `diagnostics`: what has been seen of the server so far, secrets redacted
 * - `foreign`: the beginning of the first line that was no message, on a wire of lines. Secrets are not redacted
 */
export interface McpWire {
  readonly listen: (listener: WireListener) => void
  readonly send: (message: JsonRpcMessage) => void | Promise<void>
  readonly diagnostics: () => McpDiagnostics
  readonly foreign?: () => string | undefined
}

interface Limits {
  readonly closeGrace: Duration.Duration
  readonly maxMessageBytes: number
  /** Of one message that is not small. What sends no messages has none. */
  readonly shape?: JsonBounds
  /** Values that must not show in a message or a log. */
  readonly secrets: ReadonlyArray<string>
}

/** A process to start. `env` is its whole environment; nothing else of the host's reaches it. */
export interface StdioTarget extends Limits {
  readonly transport: "stdio"
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd?: string
  readonly env: Readonly<Record<string, string>>
  /** Whether `TMPDIR` of `env` is replaced by a directory that is removed with the process. True by default. */
  readonly ownTemporary?: boolean
  /** How long the end of input is given to work, before SIGTERM. Half of `closeGrace` by default. */
  readonly endOfInputGrace?: Duration.Duration
}

/**
 * A server to reach.
 *
 * - `headers`: go with every request, to the origin of `url` and to no other
 * - `tls`: a certificate authority and a client certificate of its own
 */
export interface HttpTarget extends Limits {
  readonly transport: "streamable-http" | "sse"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly tls?: NonNullable<Parsed["tls"]>
}

/** Where a server is, and how to talk to it. */
export type WireTarget = StdioTarget | HttpTarget

/**
 * What messages call a server: its command, or its script where Node runs one, or its address without a query, which may
 * hold secrets.
 */
export const nameOf = (target: WireTarget): string => {
  if (target.transport === "stdio") return target.command === process.execPath ? scriptOf(target) : target.command
  const { origin, pathname } = new URL(target.url)
  return `${origin}${pathname}`
}

const ending = /\.[cm]?[jt]s$/

/** Names of files that say nothing without their ending. */
const usual: ReadonlySet<string> = new Set(["cli", "index", "main", "server"])

const scriptOf = ({ args, command }: StdioTarget): string => {
  const script = scriptAmong(args)
  if (script === undefined) return command
  const file = basename(script)
  const name = file.replace(ending, "")
  if (name === "" || name === "." || name === "..") return command
  return usual.has(name) ? file : name
}

/** Options of Node's whose value may be the next argument. */
const valued =
  /^(?:-[rC]|--(?:require|import|loader|experimental-loader|conditions|env-file(?:-if-exists)?|title|input-type|unhandled-rejections|diagnostic-dir|inspect-port|watch-path))$/

/** Options that bring the program, or take it from the standard input: what follows are its arguments. */
const scriptless = /^(?:-|-e|-p|-pe|(?:--eval|--print|--run)(?:=.*)?)$/s

/** The program that Node runs. @see node(1) */
const scriptAmong = (args: ReadonlyArray<string>): string | undefined => {
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ""
    if (scriptless.test(arg)) return undefined
    if (arg === "--") return args[at + 1]
    if (!arg.startsWith("-")) return arg
    if (valued.test(arg)) at += 1
  }
  return undefined
}

/** Opens a wire; it ends with the Scope. */
export type WireFactory = (target: WireTarget) => Effect.Effect<McpWire, McpError, Scope.Scope>
