/**
 * The stream for the server's messages outside of its calls: a GET that is open while a turn is under way. A server that
 * does not offer the stream is requested once a session, and after 405 not by the next sessions either.
 *
 * @see Model Context Protocol 2025-11-25, transports, listening for messages from the server
 */
import type { JsonRpcMessage } from "@zain/process/JsonRpc"
import type { Redactor } from "@zain/process/Redactor"
import type { HttpChannel } from "./HttpChannel.ts"
import * as HttpResponse from "./HttpResponse.ts"
import * as MessageBody from "./MessageBody.ts"
import * as Resumption from "./Resumption.ts"

/** The stream of one wire. */
export interface ServerStream {
  /** Called before each call. Sends the GET unless the stream is open, and returns immediately. */
  readonly want: () => void
  /** Called when no call is under way. */
  readonly rest: () => void
  /** Called after the last call. */
  readonly end: () => void
}

/** The connection of a stream; `message` and `oversize` receive its messages. */
export interface Options {
  readonly channel: HttpChannel
  readonly url: URL
  readonly headers: () => ReadonlyArray<string>
  readonly redact: Redactor
  readonly bounds: MessageBody.Bounds
  readonly message: (message: JsonRpcMessage) => void
  readonly oversize: MessageBody.MessageListener["oversize"]
  /** Called when the server answers 405. */
  readonly notAllowed: () => void
}

/** How long a stream stays open after its turn, in milliseconds: the next turn may follow immediately. */
const linger = 1_000

/** A stream that lasted this long, in milliseconds, resets the pause before the next one. */
const lasting = 5_000

/** Whether a refusal is temporary: the server has not noticed that the last stream ended, or is overloaded. */
const isPassing = (status: number) => status === 409 || status === 429 || (status >= 500 && status !== 501)

/**
 * - `Idle`: no stream, and none requested before `notBefore`
 * - `Open`: the GET is under way
 * - `Pausing`: the GET follows after a pause
 * - `Over`: the server does not offer the stream, or the last call has been made
 */
type State =
  | { readonly _tag: "Idle" | "Over" }
  | { readonly _tag: "Open"; readonly stop: () => void }
  | { readonly _tag: "Pausing"; readonly timer: NodeJS.Timeout }

/** The stream of a server that does not offer one. */
export const none: ServerStream = { want() {}, rest() {}, end() {} }

/** Starts without a stream. */
export const make = (options: Options): ServerStream => {
  const { bounds, channel, headers, message, notAllowed, oversize, redact, url } = options
  let state: State = { _tag: "Idle" }
  /** Set between turns, until the stream ends with its last event. */
  let lingering: NodeJS.Timeout | undefined
  let isWanted = false
  let eventId: string | undefined
  /** The pause after a stream that ended or was refused, in milliseconds; doubled each time. */
  let pause = Resumption.minPauseMillis
  let notBefore = 0

  /** Leaves the state, and what it holds. */
  const become = (next: State) => {
    if (state._tag === "Pausing") clearTimeout(state.timer)
    state = next
  }
  const close = (next: State) => {
    const before = state
    become(next)
    if (before._tag === "Open") before.stop()
  }
  const begin = () => {
    const wait = notBefore - performance.now()
    if (wait > 0) become({ _tag: "Pausing", timer: setTimeout(open, wait) })
    else open()
  }
  const again = (leave: number) => {
    const wait = Math.max(pause, Math.min(leave, Resumption.maxPauseMillis))
    pause = Math.min(pause * 2, Resumption.maxPauseMillis)
    notBefore = performance.now() + wait
    become({ _tag: "Idle" })
    if (isWanted) begin()
  }

  const open = () => {
    let leave = 0
    let began = Number.POSITIVE_INFINITY
    const isResumed = eventId !== undefined
    const ended = () => {
      if (state._tag === "Over") return
      if (performance.now() - began > lasting) pause = Resumption.minPauseMillis
      again(leave)
    }
    const notOffered = () => {
      if (!isResumed) return become({ _tag: "Over" })
      eventId = undefined
      again(0)
    }
    const last = eventId === undefined ? [] : ["last-event-id", eventId]
    const get = { method: "GET" as const, url, headers: [...headers(), ...last] }
    let stop = () => {}
    become({ _tag: "Open", stop: () => stop() })
    stop = HttpResponse.exchange(channel, get, redact, {
      accepted: (_, head, giveUp) => {
        if (HttpResponse.typeOf(head) !== "text/event-stream" || HttpResponse.compression(head) !== undefined) {
          giveUp()
          notOffered()
          return HttpResponse.ignored
        }
        began = performance.now()
        return MessageBody.stream(bounds, {
          message,
          oversize,
          id: (id) => {
            eventId = Resumption.sendable(id)
          },
          retry: (millis) => {
            leave = millis
          },
          end: ended,
        })
      },
      refused: ({ retryAfter, status }) => {
        if (status === 405) notAllowed()
        if (!isPassing(status)) return notOffered()
        leave = retryAfter ?? 0
        again(leave)
      },
      failed: ended,
    })
  }

  return {
    want: () => {
      clearTimeout(lingering)
      isWanted = true
      if (state._tag === "Idle") begin()
    },
    rest: () => {
      if (!isWanted) return
      isWanted = false
      if (state._tag === "Over") return
      if (state._tag === "Pausing") become({ _tag: "Idle" })
      lingering = setTimeout(() => {
        if (state._tag !== "Over") close({ _tag: "Idle" })
        // Messages sent between turns belong to no turn, and are not requested.
        eventId = undefined
      }, linger)
    },
    end: () => {
      clearTimeout(lingering)
      close({ _tag: "Over" })
    },
  }
}
