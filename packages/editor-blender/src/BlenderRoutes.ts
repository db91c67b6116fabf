/**
 * GraphQL over HTTP, and the state of the server: `POST /graphql` and `GET /status`.
 */

import type { EditorRoute, RouteContext } from "@zain/editor-link/domain/EditorRoutes"
import { quoted } from "@zain/editor-link/domain/Quoted"
import * as Effect from "effect/Effect"
import * as BlenderBridge from "./BlenderBridge.ts"
import * as ErrorCodes from "./ErrorCodes.ts"

/** The body of an answer without data. */
const errors = (code: ErrorCodes.ErrorCode, message: string) => ({ errors: [ErrorCodes.ofGraphQl({ code, message })] })

/** The editor that a request means: the only one, or the one that `?editor=` names; or one sentence on what is wrong. */
const choose = ({ editors }: RouteContext, query: URLSearchParams) => {
  const name = query.get("editor")
  const editor = editors.get(name ?? "")
  if (editor !== undefined) return editor
  const names = [...editors.keys()].filter((known) => known !== "")
  if (names.length === 0) return "`editor` is unknown: this server has one editor, without a name."
  const what = name === null ? "`editor` is missing" : `\`editor\` is unknown: ${quoted(name)}`
  return `${what}: expected one of ${names.join(", ")}, as in /graphql?editor=${names[0]}.`
}

export const routes = (context: RouteContext): ReadonlyArray<EditorRoute> => [
  {
    method: "POST",
    path: "/graphql",
    handle: Effect.fnUntraced(function* ({ body, query }) {
      const editor = choose(context, query)
      if (typeof editor === "string") return { status: 400, body: errors("INVALID_INPUT", editor) }
      const GraphQl = yield* Effect.promise(() => import("./GraphQl.ts"))
      const request = GraphQl.requestIn(body)
      if (typeof request === "string") return { status: 400, body: errors("INVALID_INPUT", request) }
      const response = yield* GraphQl.execute(BlenderBridge.servicesOf(editor), request)
      // Without `data`, nothing was executed.
      return { status: "data" in response ? 200 : 400, body: response }
    }),
    refusal: (status, message) => errors(status < 500 ? "INVALID_INPUT" : "SYSTEM_ERROR", message),
  },
  {
    method: "GET",
    path: "/status",
    handle: Effect.fnUntraced(function* () {
      const states = yield* Effect.forEach(context.editors, ([name, { state }]) =>
        Effect.map(state, (now) => [name, now] as const),
      )
      const [only] = states
      const editor = only?.[0] === "" ? only[1] : Object.fromEntries(states)
      const { isInitialized, server } = context
      return { status: 200, body: { status: "ok", server, initialized: isInitialized(), editor } }
    }),
  },
]
