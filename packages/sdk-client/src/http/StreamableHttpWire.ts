/**
 * The wire of Streamable HTTP: a request is a POST, and its response body has the notifications of the request and then its
 * answer. While a call is under way, a GET receives the server's other messages; between calls no stream is open.
 *
 * @see Model Context Protocol 2025-11-25, transports, Streamable HTTP
 */
import type { McpError } from "@zain/core/McpError"
import type * as JsonBounds from "@zain/process/JsonBounds"
import type { JsonRpcMessage } from "@zain/process/JsonRpc"
import * as JsonRpc from "@zain/process/JsonRpc"
import * as Redactor from "@zain/process/Redactor"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as BufferedListener from "../BufferedListener.ts"
import * as Failure from "../Failure.ts"
import { type HttpTarget, type McpWire, nameOf } from "../McpWire.ts"
import * as HttpChannel from "./HttpChannel.ts"
import type { HttpPool } from "./HttpPool.ts"
import * as HttpResponse from "./HttpResponse.ts"
import * as HttpSession from "./HttpSession.ts"
import * as InFlightRequests from "./InFlightRequests.ts"
import * as NotificationSender from "./NotificationSender.ts"
import * as OriginProxy from "./OriginProxy.ts"
import * as ServerStream from "./ServerStream.ts"
import * as StreamableHttpCall from "./StreamableHttpCall.ts"

/** Opens a wire. When the Scope closes, it deletes the session at the server. */
export const open = Effect.fnUntraced(function* (
  target: HttpTarget,
): Effect.fn.Return<McpWire, McpError, Scope.Scope | HttpPool> {
  const wire = overChannel(yield* HttpChannel.make(target), target)
  yield* Effect.addFinalizer((exit) => wire.close(Exit.isSuccess(exit) ? target.closeGrace : hurry))
  return wire
})

/** The limit for deleting the session after `open` failed. */
const hurry = Duration.millis(150)

const overChannel = (channel: HttpChannel.HttpChannel, target: HttpTarget) => {
  const url = new URL(target.url)
  const server = `${nameOf(target)}${OriginProxy.words(new URL(target.url))}`
  const redact = Redactor.make(target.secrets)
  const session = HttpSession.make()
  const about = { server, delivery: "unknown" as const }
  const calls = InFlightRequests.make<StreamableHttpCall.StreamableHttpCall>(() => stream?.rest())
  /** Made by the first call of a session whose server may offer it. */
  let stream: ServerStream.ServerStream | undefined
  const letGo = () => {
    stream?.end()
    calls.dropAll()
  }
  const buffered = BufferedListener.make(() => about, letGo)
  const tooLarge = (excess: JsonBounds.Excess | undefined) => Failure.messageTooLarge(about, target, excess)
  const wantStream = () => {
    const { refusal } = channel
    const named = () => [target.url, session.server()]
    if (stream === undefined && refusal.has(named())) stream = ServerStream.none
    stream ??= ServerStream.make({
      channel,
      url,
      redact,
      headers: session.headers,
      bounds: target,
      // An answer must arrive on the stream of its request.
      message: (message) => {
        if (!JsonRpc.isAnswer(message)) buffered.message(message)
      },
      oversize: (excess) => buffered.failed(tooLarge(excess)),
      notAllowed: () => refusal.add(named()),
    })
    stream.want()
  }
  let isExpired = false

  /** The server has ended the session. */
  const end = (error: McpError) => {
    isExpired = true
    letGo()
    buffered.end(() => error)
  }
  const posting = { channel, session, server, redact, url: () => url }
  const shared: StreamableHttpCall.Shared = { ...posting, target, calls, listener: buffered, tooLarge, end }
  const notifications = NotificationSender.make(posting, { ended: end, failed: buffered.failed })

  const forget = () =>
    Effect.callback<void>((resume) => {
      const over = () => resume(Effect.void)
      const giveUp = HttpResponse.exchange(channel, { method: "DELETE", url, headers: session.headers() }, redact, {
        accepted: (_status, _headers, giveUp) => HttpResponse.brief(giveUp, over),
        refused: over,
        failed: over,
      })
      return Effect.sync(giveUp)
    })

  /** Sends the queued notifications, then deletes the session; each has its own share of the limit. */
  const close = (limit: Duration.Duration) =>
    Effect.suspend(() => {
      letGo()
      const share = (part: number) => Duration.times(limit, part)
      const saying = notifications.drained(share(1 / 4))
      if (isExpired || !session.isKnown()) return saying
      return Effect.andThen(saying, Effect.timeoutOption(Effect.interruptible(forget()), share(3 / 4)))
    })

  return {
    listen: buffered.listen,
    diagnostics: () => ({}),
    send: (message: JsonRpcMessage): void | Promise<void> => {
      if (buffered.isOver()) return
      if (!JsonRpc.isRequest(message)) {
        calls.cancelled(message)
        return notifications.send(message)
      }
      if (JsonRpc.isCall(message)) wantStream()
      StreamableHttpCall.start(shared, message)
    },
    close,
  }
}
