/**
 * Serves Streamable HTTP: the SDK implements the protocol, this module the limits, the sessions and the writing.
 *
 * @see Model Context Protocol 2025-11-25, transports, Streamable HTTP
 */
import type { IncomingMessage } from "node:http"
import { WebStandardStreamableHTTPServerTransport as SdkTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import * as JsonText from "@zain/process/JsonText"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Batch from "../Batch.ts"
import type * as JsonRpcMessage from "../JsonRpcMessage.ts"
import { codes } from "../ProtocolError.ts"
import * as RequestIds from "../RequestIds.ts"
import type { ToolServer } from "../ToolServer.ts"
import * as CallStreams from "./CallStreams.ts"
import type { HttpLimits } from "./HttpLimits.ts"
import type { HttpRequestContext, HttpTransport } from "./HttpRequestContext.ts"
import * as Incoming from "./IncomingBudget.ts"
import * as Refusal from "./Refusal.ts"
import * as RequestBody from "./RequestBody.ts"
import * as ResponsePump from "./ResponsePump.ts"
import * as SessionEvents from "./SessionEvents.ts"
import * as Sessions from "./Sessions.ts"
import * as StalledReader from "./StalledReader.ts"

/** The transport of one session. */
export interface Way extends CallStreams.CallStreams {
  readonly sdk: SdkTransport
  readonly events: SessionEvents.SessionEvents
}

const path = "/mcp"

/** When a client should reconnect a broken stream, in milliseconds: before it counts as disconnected. */
const retryInterval = 500

const noPath = Refusal.make(404, `Not found. MCP is at ${path}.`)
const noMethod = Refusal.make(405, "Method not allowed.", { Allow: "GET, POST, DELETE" })
const noSessionNamed = Refusal.make(400, "Only an initialize request may omit the Mcp-Session-Id header.")

const idTaken: Refusal.Refusal = { status: 400, ...RequestIds.taken }

/** Clients of later versions of MCP probe for methods before `initialize`. */
const outside = (message: JSONRPCMessage, served: ReadonlySet<string>): Refusal.Refusal => {
  const isKnown = !("method" in message && "id" in message) || message.method === "ping" || served.has(message.method)
  if (isKnown) return noSessionNamed
  return { status: 200, code: codes.methodNotFound, message: "Method not found", id: message.id }
}

/** Serves sessions until the Scope closes. */
export const make = Effect.fnUntraced(function* (
  server: ToolServer,
  limits: HttpLimits,
): Effect.fn.Return<HttpTransport, never, Scope.Scope> {
  const sessions = yield* Sessions.make<Way | undefined>(server, limits)
  return over(server, limits, { sessions, incoming: Incoming.make(limits), watch: StalledReader.make(limits) })
})

/** The same in sessions of which some may be those of another transport. */
export const over = (
  server: ToolServer,
  limits: HttpLimits,
  { incoming, sessions, watch }: Sessions.Parts<Sessions.Sessions<Way | undefined>>,
): HttpTransport => {
  const stored = SessionEvents.make(limits)
  const connect = Effect.fnUntraced(function* (id: string) {
    const events = yield* stored
    const sdk = new SdkTransport({
      sessionIdGenerator: () => id,
      eventStore: events,
      retryInterval,
      keepAliveMs: Duration.toMillis(limits.keepAlive),
    })
    const streams = CallStreams.make(sdk, limits)
    return { transport: streams.transport, way: { sdk, events, ...streams } }
  })

  const answer = (
    { request, response }: HttpRequestContext,
    { events, reads, sdk }: Way,
    body: JSONRPCMessage | undefined,
  ) =>
    Effect.promise(async () => {
      const slow = watch(response)
      const last = request.method === "GET" ? request.headers["last-event-id"] : undefined
      const rest = typeof last === "string" ? events.rest(last) : undefined
      const given = await sdk.handleRequest(toWeb(request), body === undefined ? {} : { parsedBody: body })
      const id = body !== undefined && "method" in body && "id" in body ? body.id : undefined
      const isStream = given.status === 200 && (request.method === "GET" || id !== undefined)
      if (isStream && !response.destroyed) response.once("close", reads(id, slow))
      await ResponsePump.pump(given, response, slow, rest)
      return given.status
    })

  const answerBatch = ({ response }: HttpRequestContext, { batch }: Way, body: JsonRpcMessage.Batch) =>
    Effect.promise(async () => {
      const slow = watch(response)
      const status = body.some(Batch.isAnswered) ? 200 : 202
      response.writeHead(status, status === 200 ? { "Content-Type": "application/json" } : {}).flushHeaders()
      const answers = await batch(body)
      response.end(answers && JsonText.write(answers))
      slow.wrote()
      return status
    })

  /** Answers a request within a session, which stays open until then. */
  const within = (
    context: HttpRequestContext,
    session: Sessions.HttpSession<Way>,
    body: Effect.Effect<JSONRPCMessage | JsonRpcMessage.Batch | undefined, Refusal.Refusal>,
  ) =>
    Effect.acquireUseRelease(
      Effect.sync(() => session.enter(context.request.socket)),
      () =>
        Effect.flatMap(body, (message) => {
          if (message !== undefined && Batch.isBatch(message)) return answerBatch(context, session.way, message)
          return message !== undefined && session.way.isTaken(message)
            ? Effect.fail(idTaken)
            : answer(context, session.way, message)
        }),
      (leave) => Effect.sync(leave),
    )

  const begin = Effect.fnUntraced(function* (context: HttpRequestContext) {
    const body = yield* RequestBody.read(context.request, limits, incoming, server.methods, false)
    if (Batch.isBatch(body)) return yield* Effect.fail(noSessionNamed)
    if (!("method" in body && "id" in body && body.method === "initialize")) {
      return yield* Effect.fail(outside(body, server.methods))
    }
    const session = yield* sessions.open(context.principal, connect)
    const status = yield* within(context, session, Effect.succeed(body))
    if (status !== 200) yield* sessions.end(session.id)
  })

  const handle = Effect.fnUntraced(function* (context: HttpRequestContext) {
    const { principal, request, url } = context
    const { headers, method = "" } = request
    if (url.pathname !== path) return yield* Effect.fail(noPath)
    if (!["GET", "POST", "DELETE"].includes(method)) return yield* Effect.fail(noMethod)
    const id = headers["mcp-session-id"]
    if (id === undefined) return yield* method === "POST" ? begin(context) : Effect.fail(noSessionNamed)
    const session = sessions.find(String(id), principal)
    if (!isOwn(session)) return yield* Effect.fail(Refusal.noSession)
    const takesBatches = session.way.transport.onbatch !== undefined
    const body =
      method === "POST"
        ? RequestBody.read(request, limits, incoming, server.methods, takesBatches)
        : Effect.succeed(undefined)
    // The client's calls end before the answer, so that nothing of them acts when it has arrived.
    yield* within(context, session, method === "DELETE" ? Effect.andThen(session.leave, body) : body)
  })
  return { scheme: "http" as const, path, handle, endAll: sessions.endAll }
}

const isOwn = (session: Sessions.HttpSession<Way | undefined> | undefined): session is Sessions.HttpSession<Way> =>
  session?.way !== undefined

/** The headers that the SDK reads; the client's token is not passed to it. */
const read = ["accept", "content-type", "mcp-session-id", "mcp-protocol-version", "last-event-id"] as const

const toWeb = ({ headers, method = "GET" }: IncomingMessage): Request => {
  const given = read.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])] as const]))
  return new Request(`http://localhost${path}`, { method, headers: given.map(([name, value]) => [name, value]) })
}
