/**
 * Serves Streamable HTTP and WebSocket at one URL. Their sessions and limits are common.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ToolServer } from "../ToolServer.ts"
import type { HttpLimits } from "./HttpLimits.ts"
import type { HttpTransport } from "./HttpRequestContext.ts"
import * as Incoming from "./IncomingBudget.ts"
import * as Sessions from "./Sessions.ts"
import * as StalledReader from "./StalledReader.ts"
import * as StreamableHttp from "./StreamableHttp.ts"
import * as WebSockets from "./WebSockets.ts"

/** Serves sessions until the Scope closes. */
export const make = Effect.fnUntraced(function* (
  server: ToolServer,
  limits: HttpLimits,
): Effect.fn.Return<HttpTransport, never, Scope.Scope> {
  const sessions = yield* Sessions.make<StreamableHttp.Way | undefined>(server, limits)
  const parts = { sessions, incoming: Incoming.make(limits), watch: StalledReader.make(limits) }
  const { endAll, upgrade } = WebSockets.over(limits, parts)
  return { ...StreamableHttp.over(server, limits, parts), upgrade, endAll }
})
