/**
 * Messages over Streamable HTTP: a request is a POST, and its answer is that POST's body, after whatever belongs to it.
 * While a call is under way a GET receives what the server sends outside of it; between calls no stream is kept open.
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
import * as Failure from "../Failure.ts"
import { type HttpTarget, type McpWire, nameOf } from "../McpWire.ts"
import * as WireAudience from "../WireAudience.ts"
import * as Exchanges from "./Exchanges.ts"
import * as HttpChannel from "./HttpChannel.ts"
import type { HttpPool } from "./HttpPool.ts"
import * as HttpReply from "./HttpReply.ts"
import * as HttpSession from "./HttpSession.ts"
import * as MessageBody from "./MessageBody.ts"
import * as Outbox from "./Outbox.ts"
import * as Resumption from "./Resumption.ts"
import * as ServerStream from "./ServerStream.ts"

/** A request that waits for its answer. */
interface Call extends Exchanges.Exchange {
  readonly resumption: Resumption.Resumption
  readonly isInitialize: boolean
  readonly isPrompt: boolean
  answered: boolean
}

/** Opens wires whose connections come from a pool. A wire that ends asks the server to forget its session. */
export const make =
  (pool: HttpPool) =>
  (target: HttpTarget): Effect.Effect<McpWire, McpError, Scope.Scope> =>
    Effect.gen(function* () {
      const wire = overChannel(yield* HttpChannel.make(pool, target), target)
      yield* Effect.addFinalizer((exit) => wire.close(Exit.isSuccess(exit) ? target.closeGrace : hurry))
      return wire
    })

/** What a failed open may take to end its session at the server. */
const hurry = Duration.millis(150)

const overChannel = (channel: HttpChannel.HttpChannel, target: HttpTarget) => {
  const url = new URL(target.url)
  const server = nameOf(target)
  const redact = Redactor.make(target.secrets)
  const session = HttpSession.make()
  const about = { server, delivery: "unknown" as const }
  const calls = Exchanges.make<Call>(() => stream.rest())
  const letGo = () => {
    stream.end()
    calls.dropAll()
  }
  const audience = WireAudience.make(() => about, letGo)
  const tooLarge = (excess: JsonBounds.Excess | undefined) => Failure.messageTooLarge(about, target, excess)
  const stream = ServerStream.make({
    channel,
    url,
    redact,
    headers: session.headers,
    bounds: target,
    // An answer belongs on the stream of its request.
    message: (message) => {
      if (!JsonRpc.isAnswer(message)) audience.message(message)
    },
    oversize: (excess) => audience.failed(tooLarge(excess)),
  })
  let isExpired = false

  /** The server knows the session no more. */
  const end = (error: McpError) => {
    isExpired = true
    letGo()
    audience.end(() => error)
  }
  const fail = (call: Call, error: McpError) => {
    calls.drop(call)
    audience.failed(error, call.id)
  }
  const violation = (what: string) => HttpReply.violation(about, what, session.stage())

  const bodyOf = (call: Call) => {
    const listener: MessageBody.MessageListener = {
      message: (message) => {
        // What comes after the answer belongs to no turn, and must not speak into the next one.
        if (call.answered || calls.get(call.id) !== call) return
        if (JsonRpc.isAnswer(message) && message.id === call.id) {
          call.answered = true
          calls.answered(call)
          if (call.isInitialize) session.initialized(message)
        }
        audience.message(message)
      },
      oversize: (excess) => fail(call, tooLarge(excess)),
      end: () => {
        if (call.answered) calls.ended(call)
        else fail(call, violation("its reply is not the answer to the request"))
      },
    }
    return listener
  }

  const accept = (call: Call, status: number, headers: HttpChannel.ResponseHeaders): HttpReply.BodyReader => {
    const refuse = (what: string) => {
      fail(call, violation(what))
      return HttpReply.ignored
    }
    if (call.isInitialize && !session.began(headers))
      return refuse("its session id is not 1 to 1,024 visible ASCII characters")
    const compressed = HttpReply.compression(headers)
    if (compressed !== undefined) return refuse(compressed)
    const listener = bodyOf(call)
    switch (HttpReply.typeOf(headers)) {
      case "application/json":
        return MessageBody.json(target, listener)
      case "text/event-stream":
        return MessageBody.stream(target, {
          ...listener,
          ...call.resumption,
          event: () => {},
          end: () => (call.answered ? calls.ended(call) : broken(call, Failure.connectionLost(about))),
        })
      default:
        return refuse(`it answers a request with HTTP ${status} and ${HttpReply.insteadOf(headers)}`)
    }
  }

  /** What becomes of a call that cannot be resumed: the server had taken it up. */
  const lost = (error: McpError): McpError =>
    error._tag === "ConnectionUnavailable" && error.reason !== "protocol-violation"
      ? Failure.delivered(error, "unknown")
      : Failure.connectionLost({ ...about, cause: error })

  /** A reply that ended before the answer goes on where it was, if the server said where that is. */
  const broken = (call: Call, error: McpError) => {
    const again = call.resumption.again(() => attempt(call, "GET"))
    if (again === undefined) fail(call, error)
    else call.abort = again
  }

  const attempt = (call: Call, method: "GET" | "POST", body?: string) => {
    const isFirst = method === "POST"
    const reply = HttpReply.make(
      {
        accepted: (status, headers) => accept(call, status, headers),
        refused: (refusal) => {
          const error = HttpReply.refusalError(server, refusal, session.stage())
          const told = isFirst ? error : lost(error)
          if (told.reason === "session-expired") end(told)
          else fail(call, told)
        },
        failed: (problem) => {
          if (call.answered) return calls.ended(call)
          const error = HttpReply.problemError(server, problem, session.stage())
          broken(call, isFirst ? error : lost(error))
        },
      },
      redact,
      () => call.abort(),
    )
    const headers = isFirst ? session.headers() : [...session.headers(), ...call.resumption.headers()]
    const once = isFirst && call.isPrompt
    call.abort = channel.start({ method, url, headers, once, ...(body === undefined ? {} : { body }) }, reply)
  }

  const outbox = Outbox.make(
    { channel, session, server, redact, url: () => url },
    { ended: end, failed: audience.failed },
  )

  const forget = Effect.callback<void>((resume) => {
    const over = () => resume(Effect.void)
    let abort = () => {}
    const giveUp = () => abort()
    const reply = HttpReply.make(
      { accepted: () => HttpReply.brief(giveUp, over), refused: over, failed: over },
      redact,
      giveUp,
    )
    abort = channel.start({ method: "DELETE", url, headers: session.headers() }, reply)
    return Effect.sync(giveUp)
  })

  /** Says what is still to be said, and ends the session at the server. Neither may take the other's time. */
  const close = (limit: Duration.Duration) =>
    Effect.suspend(() => {
      letGo()
      const share = (part: number) => Duration.times(limit, part)
      const saying = outbox.drained(share(1 / 4))
      if (isExpired || !session.isKnown()) return saying
      return Effect.andThen(saying, Effect.timeoutOption(Effect.interruptible(forget), share(3 / 4)))
    })

  return {
    listen: audience.listen,
    diagnostics: () => ({}),
    send: (message: JsonRpcMessage): void | Promise<void> => {
      if (audience.isOver()) return
      if (!JsonRpc.isRequest(message)) {
        calls.cancelled(message)
        return outbox.send(message)
      }
      const call: Call = {
        id: message.id,
        isInitialize: message.method === "initialize",
        isPrompt: JsonRpc.isCall(message),
        answered: false,
        resumption: Resumption.make(),
        abort() {},
      }
      calls.add(call)
      if (call.isPrompt) stream.want()
      attempt(call, "POST", JSON.stringify(message))
    },
    close,
  }
}
