/**
 * What a server of editors answers over HTTP beside MCP.
 */
import type * as Effect from "effect/Effect"
import type { ToolContext } from "./Catalogue.ts"

/** `body`: what a POST has sent, as JSON; absent with GET. */
export interface EditorRequest {
  readonly query: URLSearchParams
  readonly body?: unknown
}

/** `body`: what is sent as JSON. */
export interface EditorAnswer {
  readonly status: number
  readonly body: unknown
}

/**
 * - `handle`: interrupted when its client goes away
 * - `refusal`: the body of an answer that `handle` does not give, such as 413
 */
export interface EditorRoute {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly handle: (request: EditorRequest) => Effect.Effect<EditorAnswer>
  readonly refusal?: (status: number, message: string) => unknown
}

/**
 * An editor as a route reaches it: by the connection that all clients share.
 *
 * - `send`: asks the editor; connects to it where nothing has yet. What may change something is not sent again
 * - `state`: of the connection, such as `Ready`
 * - `log`: keeps a line of the log
 */
export interface RoutedEditor extends Pick<ToolContext, "send"> {
  readonly state: Effect.Effect<string>
  readonly log: (event: string, detail: string) => void
}

/**
 * - `editors`: by their names; a single one may have the empty name
 * - `server`: its name and version, as in `initialize`
 * - `isInitialized`: whether a client of MCP has initialized a session
 */
export interface RouteContext {
  readonly editors: ReadonlyMap<string, RoutedEditor>
  readonly server: { readonly name: string; readonly version: string }
  readonly isInitialized: () => boolean
}
