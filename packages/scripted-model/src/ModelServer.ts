/**
 * The loopback HTTP server: routes, request bodies, and the end of every connection with the Scope.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { messagesApi } from "./MessagesApi.ts"
import type { ModelApi, ModelUsage } from "./ModelApi.ts"
import { type ModelRequest, redactHeaders } from "./ModelRequest.ts"
import { play, sendJson } from "./Playback.ts"
import * as RequestLog from "./RequestLog.ts"
import { responsesApi } from "./ResponsesApi.ts"
import type { ScriptedModelError } from "./ScriptedModelError.ts"
import type { ScriptedTurn } from "./ScriptedTurn.ts"
import { failure } from "./ScriptFailure.ts"

/**
 * - `turnFor`: the turn to play for a request
 * - `maxRequestBytes`: a longer body gets status 413
 */
export interface ModelServerOptions {
  readonly turnFor: (request: ModelRequest) => Effect.Effect<ScriptedTurn>
  readonly usage: ModelUsage
  readonly maxRequestBytes: number
}

export interface ModelServer {
  readonly url: string
  readonly log: RequestLog.RequestLog
}

/** Serves an ephemeral port of 127.0.0.1 until the Scope closes. Fails with `listen-failed`. */
export const make = Effect.fnUntraced(function* (
  options: ModelServerOptions,
): Effect.fn.Return<ModelServer, ScriptedModelError, Scope.Scope> {
  const server = yield* Effect.acquireRelease(
    // The server closes no idle connection: an agent without retries fails if the close races with a request.
    Effect.sync(() => createServer({ keepAliveTimeout: 0, requestTimeout: 0 })),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      }),
  )
  const run = yield* FiberSet.makeRuntime()
  const log = yield* RequestLog.make

  server.on("request", (request, response) => {
    request.on("error", () => {})
    response.on("error", () => {})
    const fiber = run(respond(request, response))
    response.once("close", () => fiber.interruptUnsafe())
  })

  const respond = (request: IncomingMessage, response: ServerResponse) =>
    route(request, response).pipe(
      Effect.catchCause((cause) => {
        if (response.headersSent) return Effect.sync(() => response.destroy())
        const message = `The script could not be played: ${describe(Cause.squash(cause))}`
        return sendJson(response, 400, apiOf(request).error(400, message))
      }),
    )

  const route = (request: IncomingMessage, response: ServerResponse): Effect.Effect<void> => {
    const api = apiOf(request)
    const path = pathOf(request)
    switch (`${request.method} ${path}`) {
      case "POST /v1/responses":
      case "POST /v1/messages":
        return converse(api, request, response)
      case "POST /v1/messages/count_tokens":
        return sendJson(response, 200, { input_tokens: options.usage.inputTokens })
      case "GET /v1/models":
        return sendJson(response, 200, models)
      case "HEAD /":
      case "HEAD /api/hello":
        return sendJson(response, 200, {})
      default:
        return sendJson(response, 404, api.error(404, `The scripted model does not serve ${request.method} ${path}.`))
    }
  }

  const converse = Effect.fnUntraced(function* (api: ModelApi, message: IncomingMessage, response: ServerResponse) {
    const refuse = (status: number, reason: string) => sendJson(response, status, api.error(status, reason))
    const encoding = message.headers["content-encoding"] ?? "identity"
    if (encoding !== "identity") return yield* refuse(415, `Content encoding ${encoding} is not supported.`)
    const bytes = yield* readBody(message, options.maxRequestBytes)
    if (bytes === "too-long") return yield* refuse(413, `The body is longer than ${options.maxRequestBytes} bytes.`)
    const parsed = Result.flatMap(parseJson(bytes), (body) =>
      Result.map(api.read(body), (content) => ({ ...content, body })),
    )
    if (Result.isFailure(parsed)) return yield* refuse(400, parsed.failure)

    const request = log.record({ ...parsed.success, api: api.name, headers: redactHeaders(message.headers) })
    response.once("close", () => log.ended(request, response.writableFinished ? "answered" : "gone"))
    const drop = () => {
      log.ended(request, "answered")
      response.destroy()
    }
    const turn = yield* options.turnFor(request)
    yield* play(turn, { api, request, response, usage: options.usage, drop })
  })

  const port = yield* Effect.callback<number, ScriptedModelError>((resume) => {
    server.once("error", (cause) => resume(Effect.fail(listenFailed(cause))))
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (typeof address === "object" && address !== null) resume(Effect.succeed(address.port))
    })
  })
  server.on("error", () => {})
  return { url: `http://127.0.0.1:${port}`, log }
})

const listenFailed = (cause: Error) =>
  failure("listen-failed", `No port of 127.0.0.1 could be opened: ${cause.message}`, cause)

const models = {
  object: "list",
  data: [{ id: "scripted-model", type: "model", object: "model", display_name: "Scripted model", created: 0 }],
  has_more: false,
}

const describe = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

const pathOf = (request: IncomingMessage) => (request.url ?? "/").split("?", 1)[0] ?? "/"

const apiOf = (request: IncomingMessage): ModelApi =>
  pathOf(request).startsWith("/v1/messages") ? messagesApi : responsesApi

const parseJson = (bytes: Buffer): Result.Result<unknown, string> =>
  Result.try({
    try: (): unknown => JSON.parse(bytes.toString("utf8")),
    catch: (cause) => `The body is not JSON: ${describe(cause)}`,
  })

/** The body, or `too-long` as soon as it exceeds the limit; the rest is then read and discarded. */
const readBody = (request: IncomingMessage, maxBytes: number) =>
  Effect.callback<Buffer | "too-long">((resume) => {
    let chunks: Array<Buffer> = []
    let length = 0
    request.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length <= maxBytes) {
        chunks.push(chunk)
        return
      }
      chunks = []
      resume(Effect.succeed("too-long"))
    })
    request.on("end", () => resume(Effect.sync(() => Buffer.concat(chunks, length))))
  })
