/**
 * The way of a caller's reply to the agent that waits for it. The engine sends no message to a session that ends, whose turns may
 * go on for a while: a reply goes to the runner that began the turn.
 */
import * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { formatUrlHostString } from "effect/net/NetAddress"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { Reply } from "./SessionEntity.ts"

/** A reply on its way. */
export const Sent = Schema.Struct({
  /** The principal that opened the session. */
  owner: Schema.String,
  /** The id of the question. */
  id: Schema.String,
  /** What the caller replies. */
  reply: Reply,
})
export type Sent = typeof Sent.Type

/** The service of replies. */
export class Replies extends Context.Service<
  Replies,
  {
    /**
     * Asks a caller, and waits for its reply.
     *
     * @param owner the principal that opened the session; the replies of others are ignored
     * @param id the id of the question, which no other question has
     * @param send sends the question
     */
    readonly ask: (owner: string, id: string, send: () => void) => Effect.Effect<Reply>
    /** Passes a reply on in this process; returns whether a question waited for it. */
    readonly receive: (sent: Sent) => boolean
    /**
     * Sends a reply, again and again until it has arrived.
     *
     * @param runner the address of the runner that asked
     * @param sent the reply
     */
    readonly send: (runner: string, sent: Sent) => Effect.Effect<void>
  }
>()("@zain/cluster-client/Replies") {
  /** Between a caller and a runner in one process. */
  static readonly layer: Layer.Layer<Replies> = Layer.sync(Replies, () => {
    const questions = inbox()
    return { ...questions, send: (_, sent) => Effect.sync(() => void questions.receive(sent)) }
  })
}

const inbox = (): Pick<Replies["Service"], "ask" | "receive"> => {
  const waiting = new Map<string, { readonly owner: string; readonly done: (reply: Reply) => void }>()
  return {
    ask: (owner, id, send) =>
      Effect.callback<Reply>((resume) => {
        waiting.set(id, { owner, done: (reply) => resume(Effect.succeed(reply)) })
        send()
        return Effect.sync(() => waiting.delete(id))
      }),
    receive: ({ id, owner, reply }) => {
      const found = waiting.get(id)
      if (found?.owner !== owner) return false
      waiting.delete(id)
      found.done(reply)
      return true
    },
  }
}

/** The path on the port of a runner, which admits the same peers as all of it. */
const path = "/replies"

/** A name or an IP address, and a port, as a runner says that it is reached. It is a peer's text: a URL has no other part of it. */
const address = /^\[?([\w.:%-]+?)\]?:(\d{1,5})$/

/** Arrived: taken, or no question waits for it any more. */
const hasArrived = (status: number) => status === 204 || status === 404

/**
 * Sends replies over HTTP.
 *
 * @param https whether runners use TLS
 */
export const layer = (https: boolean): Layer.Layer<Replies, never, HttpClient.HttpClient> =>
  Layer.effect(
    Replies,
    Effect.map(HttpClient.HttpClient, (http) => ({
      ...inbox(),
      send: (runner, sent) => {
        const [, host, port] = address.exec(runner) ?? []
        if (host === undefined) return Effect.logWarning("A reply was not sent: its runner has no valid address.")
        const url = `http${https ? "s" : ""}://${formatUrlHostString(host)}:${port}${path}`
        const client = HttpClient.filterStatus(http, hasArrived)
        return HttpClientRequest.schemaBodyJson(Sent)(HttpClientRequest.post(url), sent).pipe(
          Effect.orDie,
          Effect.flatMap((request) => Effect.retry(client.execute(request), Schedule.spaced("200 millis"))),
          Effect.ignore,
        )
      },
    })),
  )

/**
 * Receives replies on the port of a runner.
 *
 * @param maxBytes the largest reply
 */
export const route = (maxBytes: number): Layer.Layer<never, never, HttpRouter.HttpRouter | Replies> =>
  Layer.unwrap(
    Effect.map(Replies, ({ receive }) => {
      const answer = Effect.gen(function* () {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        // The pages of browsers cannot send JSON to another site unasked.
        if (headers["content-type"] !== "application/json") return HttpServerResponse.empty({ status: 415 })
        const sent = yield* HttpServerRequest.schemaBodyJson(Sent)
        return HttpServerResponse.empty({ status: receive(sent) ? 204 : 404 })
      }).pipe(
        Effect.catch(() => Effect.succeed(HttpServerResponse.empty({ status: 400 }))),
        Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBytes)),
      )
      return HttpRouter.add("POST", path, answer)
    }),
  )
