/**
 * The stream for the server's messages outside of its calls: a GET that is open while a turn is under way. A server that
 * does not offer the stream is requested once only.
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
}

/** How long a stream stays open after its turn, in milliseconds: the next turn may follow immediately. */
const linger = 1_000

/** A stream that lasted this long, in milliseconds, resets the pause before the next one. */
const lasting = 5_000

/** Whether a refusal is temporary: the server has not noticed that the last stream ended, or is overloaded. */
const isPassing = (status: number) => status === 409 || status === 429 || (status >= 500 && status !== 501)

/** Starts without a stream. */
export const make = ({ bounds, channel, headers, message, oversize, redact, url }: Options): ServerStream => {
  /** True if the server does not offer the stream, or after the last call. */
  let isOver = false
  let isWanted = false
  let stop: (() => void) | undefined
  let timer: NodeJS.Timeout | undefined
  let eventId: string | undefined
  /** The pause after a stream that ended or was refused, in milliseconds; doubled each time. */
  let pause = Resumption.shortest
  let notBefore = 0

  const end = () => {
    isOver = true
    clearTimeout(timer)
    stop?.()
  }
  const again = (leave: number) => {
    stop = undefined
    const wait = Math.max(pause, Math.min(leave, Resumption.longest))
    pause = Math.min(pause * 2, Resumption.longest)
    notBefore = performance.now() + wait
    if (isWanted) timer = setTimeout(open, wait)
  }

  const open = () => {
    if (isOver) return
    let leave = 0
    let began = Number.POSITIVE_INFINITY
    const isResumed = eventId !== undefined
    const ended = () => {
      if (performance.now() - began > lasting) pause = Resumption.shortest
      again(leave)
    }
    const none = () => {
      stop = undefined
      if (!isResumed) isOver = true
      else {
        eventId = undefined
        again(0)
      }
    }
    const last = eventId === undefined ? [] : ["last-event-id", eventId]
    stop = HttpResponse.exchange(channel, { method: "GET", url, headers: [...headers(), ...last] }, redact, {
      accepted: (_, head, giveUp) => {
        if (HttpResponse.typeOf(head) !== "text/event-stream" || HttpResponse.compression(head) !== undefined) {
          giveUp()
          none()
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
        if (!isPassing(status)) return none()
        leave = retryAfter ?? 0
        again(leave)
      },
      failed: ended,
    })
  }

  return {
    want: () => {
      if (isOver || isWanted) return
      isWanted = true
      clearTimeout(timer)
      if (stop !== undefined) return
      const wait = notBefore - performance.now()
      if (wait <= 0) open()
      else timer = setTimeout(open, wait)
    },
    rest: () => {
      if (isOver || !isWanted) return
      isWanted = false
      clearTimeout(timer)
      timer = setTimeout(() => {
        stop?.()
        stop = undefined
        // Messages sent between turns belong to no turn, and are not requested.
        eventId = undefined
      }, linger)
    },
    end,
  }
}
