/**
 * A connection that carries messages, whatever it is made of. The seam between transports and sessions.
 */
import type { McpDiagnostics, McpError } from "@zain/core/McpError"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { JsonRpcMessage } from "./JsonRpc.ts"

/**
 * - `message`: one message of the server, in wire order
 * - `failed`: something of the server's could not be read; the wire goes on
 * - `ended`: the server is gone. Told once; nothing follows
 */
export interface WireListener {
  readonly message: (message: JsonRpcMessage) => void
  readonly failed: (error: McpError) => void
  readonly ended: (error: McpError) => void
}

/**
 * - `listen`: who hears the server, named once and before the first `send`
 * - `send`: puts a message on the wire. Never throws and never waits; on a wire that has ended it does nothing
 * - `diagnostics`: what has been seen of the server so far, secrets redacted
 */
export interface McpWire {
  readonly listen: (listener: WireListener) => void
  readonly send: (message: JsonRpcMessage) => void
  readonly diagnostics: () => McpDiagnostics
}

/** A process to start. `env` is its whole environment; nothing else of the host's reaches it. */
export interface StdioTarget {
  readonly transport: "stdio"
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd?: string
  readonly env: Readonly<Record<string, string>>
  readonly closeGrace: Duration.Duration
  /** How long the end of input is given to work, before SIGTERM. Half of `closeGrace` by default. */
  readonly endOfInputGrace?: Duration.Duration
  readonly maxMessageBytes: number
  /** Values that must not show in a message or a log. */
  readonly secrets: ReadonlyArray<string>
}

/** Opens a wire; it ends with the Scope. */
export type WireFactory = (target: StdioTarget) => Effect.Effect<McpWire, McpError, Scope.Scope>
