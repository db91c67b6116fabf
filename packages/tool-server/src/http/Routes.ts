/**
 * HTTP routes in addition to MCP, with the same authentication and limits.
 */
import type { ServerResponse } from "node:http"
import * as JsonText from "@zain/process/JsonText"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { HttpLimits } from "./HttpLimits.ts"
import type { HttpRequestContext, HttpTransport } from "./HttpRequestContext.ts"
import * as Incoming from "./IncomingBudget.ts"
import * as Refusal from "./Refusal.ts"
import * as RequestBody from "./RequestBody.ts"
import * as StalledReader from "./StalledReader.ts"

/** A request to a route. */
export interface RouteRequest {
  readonly query: URLSearchParams
  /** The JSON of a POST; absent for a GET. */
  readonly body?: unknown
}

/** The response of a route. */
export interface RouteAnswer {
  readonly status: number
  /** The value that is sent as JSON. */
  readonly body: unknown
}

/** One route. */
export interface HttpRoute {
  readonly method: "GET" | "POST"
  /** The exact path. */
  readonly path: string
  /** Answers a request. Interrupted when the client disconnects or the server shuts down. */
  readonly handle: (request: RouteRequest) => Effect.Effect<RouteAnswer>
  /** Makes the body of an error response, such as 413. By default a JSON-RPC error. */
  readonly refusal?: (status: number, message: string) => unknown
}

const busy = Refusal.make(503, "Too many requests to this route are under way. Send the request again later.", {
  "Retry-After": "1",
})
const failed = Refusal.make(500, "Internal error.")

/**
 * Adds routes to a transport; their paths take precedence.
 *
 * @param limits the limits of messages, which hold for bodies too; `maxRouteRequests` holds for each route
 */
export const beside = (
  transport: HttpTransport,
  routes: ReadonlyArray<HttpRoute>,
  limits: HttpLimits,
): HttpTransport => {
  if (routes.length === 0) return transport
  const incoming = Incoming.make(limits)
  const watch = StalledReader.make(limits)
  const ending = Deferred.makeUnsafe<never, Refusal.Refusal>()
  const underWay = new Map<HttpRoute, number>()
  const count = (route: HttpRoute) => underWay.get(route) ?? 0

  const write = (response: ServerResponse, { body, status }: RouteAnswer) => {
    const text = JsonText.write(body)
    const slow = watch(response)
    response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) })
    response.end(text)
    slow.wrote()
  }
  const isBusy = (route: HttpRoute) => count(route) >= limits.maxRouteRequests
  /** Reads the body of a request, which is not counted as under way yet. */
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
