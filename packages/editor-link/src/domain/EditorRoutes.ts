/**
 * What a server of editors answers over HTTP beside MCP.
 */
import type * as Effect from "effect/Effect"
import type { ToolContext } from "./Catalogue.ts"

/** `body`: the parsed JSON of a POST; absent with GET. */
export interface EditorRequest {
  readonly query: URLSearchParams
  readonly body?: unknown
}

/** `body`: is sent as JSON. */
export interface EditorAnswer {
  readonly status: number
  readonly body: unknown
}

/** A path over HTTP. */
export interface EditorRoute {
  readonly method: "GET" | "POST"
  readonly path: string
  /** Answers a request; is interrupted when the client closes its connection. */
  readonly handle: (request: EditorRequest) => Effect.Effect<EditorAnswer>
  /** Returns the body of an answer before `handle`, such as 413. */
  readonly refusal?: (status: number, message: string) => unknown
}

/** An editor for a route, by the connection that all clients share. `send` connects if needed, and sends no change again. */
export interface RoutedEditor extends Pick<ToolContext, "send"> {
  /** The state of the connection, such as `Ready`. */
  readonly state: Effect.Effect<string>
  /** Writes a line of the log. */
  readonly log: (event: string, detail: string) => void
}

/** The server for a route. */
export interface RouteContext {
  /** The editors by name; a single one may have the empty name. */
  readonly editors: ReadonlyMap<string, RoutedEditor>
  /** Its name and version, as in `initialize`. */
  readonly server: { readonly name: string; readonly version: string }
  /** Whether a client of MCP has initialized a session. */
  readonly isInitialized: () => boolean
}
