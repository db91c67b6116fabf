/**
 * The wire of MCP's older transport, HTTP with SSE: one stream carries every message of the server, and its first event
 * names the URL to post messages to.
 *
 * @see Model Context Protocol 2024-11-05, transports, HTTP with SSE
 */
import type { McpError } from "@zain/core/McpError"
import type { JsonRpcMessage } from "@zain/process/JsonRpc"
import * as JsonRpc from "@zain/process/JsonRpc"
import * as Redactor from "@zain/process/Redactor"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as BufferedListener from "../BufferedListener.ts"
import * as Failure from "../Failure.ts"
import { type HttpTarget, type McpWire, nameOf } from "../McpWire.ts"
import * as HttpChannel from "./HttpChannel.ts"
import type { HttpPool } from "./HttpPool.ts"
import * as HttpResponse from "./HttpResponse.ts"
import * as HttpSession from "./HttpSession.ts"
import * as InFlightRequests from "./InFlightRequests.ts"
import * as MessageBody from "./MessageBody.ts"
import * as NotificationSender from "./NotificationSender.ts"
import * as OriginProxy from "./OriginProxy.ts"
import * as Post from "./Post.ts"

/** A request that waits for its answer. */
interface Call extends InFlightRequests.InFlightRequest {
  readonly isInitialize: boolean
}

/** Opens a wire. When it ends, it closes its stream. */
export const open = Effect.fnUntraced(function* (
  target: HttpTarget,
): Effect.fn.Return<McpWire, McpError, Scope.Scope | HttpPool> {
  const { begin, close, wire } = overChannel(yield* HttpChannel.make(target), target)
  yield* Effect.addFinalizer(() => close)
  yield* Effect.callback<void, McpError>((resume) => begin(resume))
  return wire
})

/** `begin` starts the stream and calls back once: with the `endpoint` event, or with the error. */
const overChannel = (channel: HttpChannel.HttpChannel, target: HttpTarget) => {
  let opened = (_: Effect.Effect<void, McpError>) => {}
  let stopListening = () => {}
  const url = new URL(target.url)
  const server = `${nameOf(target)}${OriginProxy.words(new URL(target.url))}`
  const redact = Redactor.make(target.secrets)
  const own = channel.alone()
  const session = HttpSession.make(true)
  const calls = InFlightRequests.make<Call>()
  const about = { server, delivery: "unknown" as const }
  const letGo = () => {
    stopListening()
    calls.dropAll()
  }
  const buffered = BufferedListener.make(() => about, letGo)
  let endpoint: URL | undefined

  const end = (error: McpError) => {
    if (endpoint === undefined) opened(Effect.fail(error))
    letGo()
    buffered.end(() => error)
  }
  const violation = (what: string) => HttpResponse.violation(about, what, session.stage())

  const message = (message: JsonRpcMessage) => {
    const call = JsonRpc.isAnswer(message) && message.id !== null ? calls.get(message.id) : undefined
    if (call !== undefined) {
      calls.answered(call)
      if (call.isInitialize) session.initialized(message)
    }
    buffered.message(message)
  }
  const nameEndpoint = (data: string) => {
    if (endpoint !== undefined) return
    const named = URL.canParse(data, url.href) ? new URL(data, url) : undefined
    if (named === undefined || named.protocol !== url.protocol || named.origin !== url.origin) {
      return end(violation("its `endpoint` event has no URL, or the URL of another origin"))
    }
    endpoint = named
    opened(Effect.void)
  }

  const posting = { channel, session, server, redact, url: () => endpoint ?? url }
  const notifications = NotificationSender.make(posting, { ended: end, failed: buffered.failed })

  const request = (asked: JsonRpc.JsonRpcRequest) => {
    const call: Call = { id: asked.id, isInitialize: asked.method === "initialize", abort: () => {} }
    calls.add(call)
    call.abort = Post.send(posting, asked, {
      taken: () => {},
      done: () => {},
      wrong: (error) => {
        if (calls.get(asked.id) !== call) return
        if (error.reason === "session-expired") return end(error)
        calls.drop(call)
        buffered.failed(error, asked.id)
      },
    })
  }
  const wire: McpWire = {
    listen: buffered.listen,
    diagnostics: () => ({}),
    unref: own.unref,
    send: (message) => {
      if (buffered.isOver()) return
      if (JsonRpc.isRequest(message)) return request(message)
      calls.cancelled(message)
      return notifications.send(message)
    },
  }

  const reply: HttpResponse.ReplyListener = {
    accepted: (_, headers) => {
      const type = HttpResponse.typeOf(headers)
      const wrong =
        type === "text/event-stream"
          ? HttpResponse.compression(headers)
          : `it answers with ${known.has(type) ? type : "another type"} instead of text/event-stream`
      if (wrong !== undefined) {
        end(violation(wrong))
        return HttpResponse.ignored
      }
      return MessageBody.stream(target, {
        message,
        oversize: (excess) => {
          const error = Failure.messageTooLarge(about, target, excess)
          if (endpoint === undefined) end(error)
          else buffered.failed(error)
        },
        event: (type, data) => {
          if (type === "endpoint") nameEndpoint(data)
        },
        end: () => end(lost()),
      })
    },
    refused: (refusal) => end(HttpResponse.refusalError(server, refusal, "opening")),
    failed: (problem) => end(endpoint === undefined ? HttpResponse.problemError(server, problem, "opening") : lost()),
  }
  const lost = () =>
    endpoint === undefined ? violation("its stream ended before the `endpoint` event") : Failure.connectionLost(about)
  return {
    wire,
    begin: (hear: typeof opened) => {
      opened = hear
      stopListening = HttpResponse.exchange(own, { method: "GET", url, headers: streamHeaders }, redact, reply)
    },
    /** Waits for the notifications that are under way. */
    close: notifications.drained(saying(target)),
  }
}

/** The limit for delivering the last notifications. */
const saying = ({ closeGrace }: HttpTarget) => Duration.times(closeGrace, 1 / 4)

/** The types that a message quotes; any other is server-controlled text. */
const known: ReadonlySet<string> = new Set(["application/json", "text/html", "text/plain"])

const streamHeaders = ["accept", "text/event-stream", "accept-encoding", "identity"]
