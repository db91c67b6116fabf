/**
 * What a server answers over HTTP beside MCP: each route at a path of its own, behind the same guard and limits.
 */
import type { ServerResponse } from "node:http"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { HttpLimits } from "./HttpLimits.ts"
import type { HttpRequestContext, HttpTransport } from "./HttpRequestContext.ts"
import * as Incoming from "./Incoming.ts"
import * as Refusal from "./Refusal.ts"
import * as RequestBody from "./RequestBody.ts"
import * as SlowReader from "./SlowReader.ts"

/** `body`: what a POST has sent, as JSON; absent with GET. */
export interface RouteRequest {
  readonly query: URLSearchParams
  readonly body?: unknown
}

/** `body`: what is sent as JSON. */
export interface RouteAnswer {
  readonly status: number
  readonly body: unknown
}

/**
 * - `handle`: interrupted when its client goes away, and when the server ends
 * - `refusal`: the body of an answer that `handle` does not give, such as 413; an error of JSON-RPC if absent
 */
export interface HttpRoute {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly handle: (request: RouteRequest) => Effect.Effect<RouteAnswer>
  readonly refusal?: (status: number, message: string) => unknown
}

const busy = Refusal.make(503, "This server does as much at once as it may here. Send the request again later.", {
  "Retry-After": "1",
})
const failed = Refusal.make(500, "Internal error.")

/**
 * A transport with routes beside it. A path of theirs is never the transport's.
 *
 * @param limits those of messages hold for bodies too; of each route `maxRouteRequests` are answered at once
 */
export const beside = (
  transport: HttpTransport,
  routes: ReadonlyArray<HttpRoute>,
  limits: HttpLimits,
): HttpTransport => {
  if (routes.length === 0) return transport
  const incoming = Incoming.make(limits)
  const watch = SlowReader.make(limits)
  const ending = Deferred.makeUnsafe<never, Refusal.Refusal>()
  const underWay = new Map<HttpRoute, number>()
  const count = (route: HttpRoute) => underWay.get(route) ?? 0

  const write = (response: ServerResponse, { body, status }: RouteAnswer) => {
    const text = JSON.stringify(body)
    const slow = watch(response)
    response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) })
    response.end(text)
    slow.wrote()
  }
  const isBusy = (route: HttpRoute) => count(route) >= limits.maxRouteRequests
  /** What a request has sent. One that is still being sent has no place among those that are answered. */
  const bodyOf = (route: HttpRoute, { request }: HttpRequestContext): Effect.Effect<unknown, Refusal.Refusal> => {
    if (isBusy(route)) return Effect.fail(busy)
    return route.method === "POST" ? RequestBody.readJson(request, limits, incoming) : Effect.undefined
  }
  const counted = (route: HttpRoute, request: RouteRequest) =>
    Effect.suspend(() => {
      if (isBusy(route)) return Effect.fail(busy)
      underWay.set(route, count(route) + 1)
      return Effect.ensuring(
        route.handle(request),
        Effect.sync(() => underWay.set(route, count(route) - 1)),
      )
    })
  const answer = (route: HttpRoute, context: HttpRequestContext) => {
    const query = context.url.searchParams
    return Effect.suspend(() => bodyOf(route, context)).pipe(
      Effect.flatMap((body) => counted(route, body === undefined ? { query } : { query, body })),
      Effect.tap((given) => Effect.sync(() => write(context.response, given))),
      Effect.raceFirst(Deferred.await(ending)),
    )
  }
  const shaped = ({ refusal }: HttpRoute, work: Effect.Effect<unknown, Refusal.Refusal>) =>
    work.pipe(
      Effect.catchDefect(() => Effect.fail(failed)),
      Effect.mapError((refused) =>
        refusal === undefined ? refused : { ...refused, body: refusal(refused.status, refused.message) },
      ),
      Effect.asVoid,
    )

  return {
    ...transport,
    handle: (context) => {
      const known = routes.filter(({ path }) => path === context.url.pathname)
      const [first] = known
      if (first === undefined) return transport.handle(context)
      const route = known.find(({ method }) => method === context.request.method)
      if (route !== undefined) return shaped(route, answer(route, context))
      const Allow = known.map(({ method }) => method).join(", ")
      return shaped(first, Effect.fail(Refusal.make(405, `Method not allowed. Send ${Allow}.`, { Allow })))
    },
    endAll: Effect.andThen(Deferred.fail(ending, Refusal.ending), transport.endAll),
  }
}
