/**
 * A wire carries JSON-RPC messages between a client and one server. Transports implement it, sessions use it.
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

/** Receives the events of a wire, synchronously and in order. */
export interface WireListener {
  /**
   * Receives one JSON-RPC message of the server; those of another form are not passed on.
   *
   * @param message the message; the shape of its `params`, `result` or `error` is not checked
   */
  readonly message: (message: JsonRpcMessage) => void
  /**
   * Receives a message that could not be sent or read; the wire stays open.
   *
   * @param error what was wrong with the message, such as a `ConnectionUnavailable` with reason `message-too-large`
   * @param id the request it concerns, if that is known
   */
  readonly failed: (error: McpError, id?: JsonRpcId) => void
  /**
   * Called once, when the wire has ended; no event follows.
   *
   * @param error why it ended, such as reason `connection-lost` or `session-expired`
   */
  readonly ended: (error: McpError) => void
}

/** An open connection to one MCP server, over which JSON-RPC messages are sent and received. */
export interface McpWire {
  /**
   * Sets the listener. Call it once, before the first `send`; earlier events are buffered.
   *
   * @param listener receives the events of the wire, the buffered ones first
   */
  readonly listen: (listener: WireListener) => void
  /**
   * Sends a message. Never throws; does nothing once the wire has ended. Over HTTP it returns a promise for a notification or
   * an answer, which resolves when the server has accepted the message or sending has failed, and never rejects.
   *
   * @param message the message; the `id` of a request must differ from those of the open requests
   */
  readonly send: (message: JsonRpcMessage) => void | Promise<void>
  /** Lets the program end although the wire is open. By default, a process and the stream of SSE keep it running. */
  readonly unref?: () => void
  /** Returns the observed facts about the server so far, secrets redacted. */
  readonly diagnostics: () => McpDiagnostics
  /** Returns the beginning of the first line of standard output that is not a message (stdio only). Not redacted. */
  readonly foreign?: () => string | undefined
  /** Returns whether the server framed its messages with `Content-Length` headers, which ends the wire (stdio only). */
  readonly isFramed?: () => boolean
}

interface Limits {
  /** How long closing may take before it is forced. */
  readonly closeGrace: Duration.Duration
  /** The largest message that is read, in bytes. */
  readonly maxMessageBytes: number
  /** Limits of a message's depth and of its number of values. If omitted, only its length is limited. */
  readonly shape?: JsonBounds
  /** Values that are redacted in messages and logs. */
  readonly secrets: ReadonlyArray<string>
}

/** A server that is a process of this machine: its command, and its limits. */
export interface StdioTarget extends Limits, ProcessCommand {
  /** The transport of a process: JSON lines over its standard input and output. */
  readonly transport: "stdio"
  /** Whether the sessions of one client share the process, which must be an agent server. False by default. */
  readonly isShared?: boolean
}

/** A server that runs already: its URL, and the limits of the connection. */
export interface HttpTarget extends Limits {
  /** Streamable HTTP, or the HTTP with SSE of MCP 2024-11-05, which it replaced. */
  readonly transport: "streamable-http" | "sse"
  /** The URL of the MCP endpoint, with its query; messages show what `nameOf` returns, which has no query. */
  readonly url: string
  /** Headers of every request, sent to the origin of `url` only. */
  readonly headers: Readonly<Record<string, string>>
  /** The certificate authority and client certificate, instead of the platform's. */
  readonly tls?: NonNullable<Parsed["tls"]>
}

/** The server of a configuration, with the limits of its connection. */
export type WireTarget = StdioTarget | HttpTarget

/**
 * Returns the server's name in messages: its command, its script if Node runs one, or its URL without the query, which may
 * contain secrets.
 *
 * @param target the server; of a process, only its command and arguments are used
 */
export const nameOf = (target: WireTarget): string => {
  if (target.transport === "stdio") return ProgramName.of(target)
  const { origin, pathname } = new URL(target.url)
  return `${origin}${pathname}`
}

/**
 * Opens a wire to a server. The wire is closed with the Scope.
 *
 * @param target the server to start or to connect to, as `target` of the `AgentSession` or of a probe
 */
export type WireFactory = (target: WireTarget) => Effect.Effect<McpWire, McpError, Scope.Scope>
