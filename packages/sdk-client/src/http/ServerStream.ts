/**
 * The stream on which a server speaks outside the streams of its calls: a GET that is there while a turn is under way. A
 * server that offers none is asked once.
 *
 * @see Model Context Protocol 2025-11-25, transports, listening for messages from the server
 */
import type { JsonRpcMessage } from "@zain/process/JsonRpc"
import type { Redactor } from "@zain/process/Redactor"
import type { HttpChannel } from "./HttpChannel.ts"
import * as HttpResponse from "./HttpResponse.ts"
import * as MessageBody from "./MessageBody.ts"
import * as Resumption from "./Resumption.ts"

/**
 * - `want`: a call is about to be made. Sends the GET, unless the stream is there, and waits for nothing
 * - `rest`: no call is under way any more
 * - `end`: there will be no more calls
 */
export interface ServerStream {
  readonly want: () => void
  readonly rest: () => void
  readonly end: () => void
}

/** What a stream needs. `message`, `oversize`: receive what it says. */
export interface Options {
  readonly channel: HttpChannel
  readonly url: URL
  readonly headers: () => ReadonlyArray<string>
  readonly redact: Redactor
  readonly bounds: MessageBody.Bounds
  readonly message: (message: JsonRpcMessage) => void
  readonly oversize: MessageBody.MessageListener["oversize"]
}

/** How long a stream outlives its turn, in milliseconds: the next turn may follow at once. */
const linger = 1_000

/** After a stream that lasted this long, in milliseconds, the next need not be put off. */
const lasting = 5_000

/** Whether a refusal is one of this moment: the server has not seen yet that the last stream is gone, or has trouble. */
const isPassing = (status: number) => status === 409 || status === 429 || (status >= 500 && status !== 501)

/** No stream yet. */
export const make = ({ bounds, channel, headers, message, oversize, redact, url }: Options): ServerStream => {
  /** The server offers no stream, or there will be no more calls. */
  let isOver = false
  let isWanted = false
  let stop: (() => void) | undefined
  let timer: NodeJS.Timeout | undefined
  let eventId: string | undefined
  /** How long the server is left alone after a stream that ended, or did not come; doubled each time. */
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
        // What is said meanwhile belongs to no turn, and is not asked for.
        eventId = undefined
      }, linger)
    },
    end,
  }
}
