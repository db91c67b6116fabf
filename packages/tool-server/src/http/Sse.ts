/**
 * Serves MCP's older transport, HTTP with SSE: a session is one stream and ends with it.
 *
 * @see Model Context Protocol 2024-11-05, transports, HTTP with SSE
 */
import type { ServerResponse } from "node:http"
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import * as JsonText from "@zain/process/JsonText"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Batch from "../Batch.ts"
import type { PacedTransport } from "../PacedTransport.ts"
import type { ToolServer } from "../ToolServer.ts"
import type { HttpLimits } from "./HttpLimits.ts"
import type { HttpRequestContext, HttpTransport } from "./HttpRequestContext.ts"
import * as Incoming from "./IncomingBudget.ts"
import * as Refusal from "./Refusal.ts"
import * as RequestBody from "./RequestBody.ts"
import * as Sessions from "./Sessions.ts"
import * as StalledReader from "./StalledReader.ts"

/** The transport of one session. */
interface Way extends Pick<StalledReader.SlowReader, "room"> {
  readonly sdk: SSEServerTransport & PacedTransport
}

const path = "/sse"
const messagePath = "/message"

/** A message of at most so many bytes is read even if its client is behind: cancellations and answers are short. */
const short = 64 * 1024

const noPath = Refusal.make(404, `Not found. A session begins at ${path}.`)
const noMethod = (allowed: string) => Refusal.make(405, "Method not allowed.", { Allow: allowed })
const noStream = Refusal.make(406, "The Accept header must allow text/event-stream.")

/** Serves sessions until the Scope closes. */
export const make = Effect.fnUntraced(function* (
  server: ToolServer,
  limits: HttpLimits,
): Effect.fn.Return<HttpTransport, never, Scope.Scope> {
  const sessions = yield* Sessions.make<Way>(server, limits)
  const incoming = Incoming.make(limits)
  const watch = StalledReader.make(limits)

  const begin = ({ principal, response }: HttpRequestContext) =>
    sessions.open(principal, (id) =>
      Effect.sync(() => {
        const sdk = new SSEServerTransport(`${messagePath}?session=${id}`, response)
        const slow = watch(response)
        const transport = bounded(sdk, response, slow)
        return { transport, way: { sdk: transport, room: slow.room } }
      }),
    )

  /** Runs until the client disconnects. */
  const last = ({ request, response }: HttpRequestContext, session: Sessions.HttpSession<Way>) =>
    Effect.suspend(() => {
      const leave = session.enter(request.socket)
      const timer = setInterval(() => response.write(": keepalive\n\n"), Duration.toMillis(limits.keepAlive))
      const over = Effect.sync(() => {
        clearInterval(timer)
        leave()
      })
      return Effect.ensuring(Effect.never, over)
    })

  const stream = (context: HttpRequestContext): Effect.Effect<void, Refusal.Refusal> => {
    const { headers, method } = context.request
    if (method !== "GET") return Effect.fail(noMethod("GET"))
    if (!/text\/event-stream|\*\/\*/.test(headers.accept ?? "*/*")) return Effect.fail(noStream)
    return Effect.acquireUseRelease(
      begin(context),
      (session) => last(context, session),
      ({ id }) => sessions.end(id),
    )
  }

  const message = Effect.fnUntraced(function* ({ principal, request, response, url }: HttpRequestContext) {
    if (request.method !== "POST") return yield* Effect.fail(noMethod("POST"))
    const session = sessions.find(url.searchParams.get("session") ?? "", principal)
    if (session === undefined) return yield* Effect.fail(Refusal.noSession)
    const took = Effect.gen(function* () {
      // The answers use the stream that the client does not read.
      const room = Effect.promise(async () => session.way.room())
      const isShort = Number(request.headers["content-length"]) <= short
      if (!isShort) yield* room
      const { sdk } = session.way
      const body = yield* RequestBody.read(request, limits, incoming, server.methods, sdk.onbatch !== undefined)
      if (Batch.isBatch(body)) {
        yield* room
        sdk.onbatch?.(body, (answers) => void sdk.send(answers as never))
      } else {
        if ("method" in body && "id" in body) yield* room
        yield* Effect.promise(() => sdk.handleMessage(body))
      }
      response.writeHead(202, { "Content-Type": "text/plain" }).end("Accepted")
    })
    yield* Effect.acquireUseRelease(
      Effect.sync(() => session.enter(request.socket)),
      () => took,
      (leave) => Effect.sync(leave),
    )
  })

  const handle = (context: HttpRequestContext) => {
    if (context.url.pathname === path) return stream(context)
    return context.url.pathname === messagePath ? message(context) : Effect.fail(noPath)
  }
  return { scheme: "http" as const, path, handle, endAll: sessions.endAll }
})

/** Writes well-formed messages, which the SDK does not, and disconnects a client that does not read its stream. */
const bounded = (
  sdk: SSEServerTransport,
  response: ServerResponse,
  { room, wrote }: StalledReader.SlowReader,
): Way["sdk"] =>
  Object.assign(sdk, {
    room,
    send: async (message: JSONRPCMessage) => {
      if (response.writableEnded) throw new Error("Not connected")
      response.write(`event: message\ndata: ${JsonText.write(message)}\n\n`)
      wrote()
    },
  })
