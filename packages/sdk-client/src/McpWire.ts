/**
 * A connection that carries messages, whatever it is made of. The seam between transports and sessions.
 */
import type { Parsed } from "@zain/core/McpConnectionConfig"
import type { McpDiagnostics, McpError } from "@zain/core/McpError"
import type { JsonBounds } from "@zain/process/JsonBounds"
import type { JsonRpcId, JsonRpcMessage } from "@zain/process/JsonRpc"
import type { ProcessCommand } from "@zain/process/OwnedProcess"
import * as ProgramName from "@zain/process/ProgramName"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

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
 * - `isFramed`: whether the server framed its messages by `Content-Length` headers, which ends a wire of lines
 */
export interface McpWire {
  readonly listen: (listener: WireListener) => void
  readonly send: (message: JsonRpcMessage) => void | Promise<void>
  readonly diagnostics: () => McpDiagnostics
  readonly foreign?: () => string | undefined
  readonly isFramed?: () => boolean
}

interface Limits {
  readonly closeGrace: Duration.Duration
  readonly maxMessageBytes: number
  /** Of one message that is not small. What sends no messages has none. */
  readonly shape?: JsonBounds
  /** Values that must not show in a message or a log. */
  readonly secrets: ReadonlyArray<string>
}

/** A process to start. */
export interface StdioTarget extends Limits, ProcessCommand {
  readonly transport: "stdio"
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
  if (target.transport === "stdio") return ProgramName.of(target)
  const { origin, pathname } = new URL(target.url)
  return `${origin}${pathname}`
}

/** Opens a wire; it ends with the Scope. */
export type WireFactory = (target: WireTarget) => Effect.Effect<McpWire, McpError, Scope.Scope>
