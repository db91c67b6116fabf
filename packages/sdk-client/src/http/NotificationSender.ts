/**
 * What is said to a server and waits for no answer, a few at a time: a server that asks a lot and reads little must not
 * fill the memory, nor take every connection.
 */
import type { McpError } from "@zain/core/McpError"
import { cancelledBy, endsHandshake, type JsonRpcMessage } from "@zain/process/JsonRpc"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Failure from "../Failure.ts"
import * as Post from "./Post.ts"

/**
 * - `send`: ends when the server has taken the message, or has not. Past the bound it is not sent at all
 * - `drained`: ends when nothing is under way, or when the limit has passed
 */
export interface NotificationSender {
  readonly send: (message: JsonRpcMessage) => Promise<void>
  readonly drained: (limit: Duration.Duration) => Effect.Effect<void>
}

/**
 * What becomes of a message matters only when it was the end of the handshake, or when the session turns out to be gone.
 */
export interface Listener {
  readonly failed: (error: McpError) => void
  readonly ended: (error: McpError) => void
}

/** How many are under way, and how many wait. */
const most = 4
const waitingMost = 1_000

/** How long a server may keep silent about one, in milliseconds. The end of the handshake has the handshake's limit. */
const limit = 10_000

/** An empty box. */
export const make = (posting: Post.Posting, { ended, failed }: Listener): NotificationSender => {
  const waiting: Array<() => void> = []
  let underWay = 0
  let onIdle: Array<() => void> = []

  const drained = (limit: Duration.Duration) =>
    Effect.suspend(() => {
      if (underWay === 0) return Effect.void
      const idle = Effect.callback<void>((resume) => void onIdle.push(() => resume(Effect.void)))
      return Effect.asVoid(Effect.timeoutOption(Effect.interruptible(idle), limit))
    })

  const next = () => {
    underWay--
    if (underWay < most) waiting.shift()?.()
    if (underWay > 0) return
    for (const resolve of onIdle) resolve()
    onIdle = []
  }
  const post = (message: JsonRpcMessage, told: () => void) => {
    const isLast = endsHandshake(message)
    const outcome: Post.Outcome = {
      taken: () => {
        if (isLast) posting.session.opened()
        told()
      },
      wrong: (error) => {
        if (error.reason === "session-expired") ended(Failure.delivered(error, "unknown"))
        else if (isLast) failed(error)
        told()
      },
      done: next,
    }
    Post.send(posting, message, outcome, isLast ? 0 : limit)
  }
  return {
    send: (message) =>
      new Promise((resolve) => {
        const begin = () => {
          underWay++
          post(message, resolve)
        }
        if (underWay < most || isUrgent(message)) begin()
        else if (waiting.length < waitingMost) waiting.push(begin)
        else resolve()
      }),
    drained,
  }
}

/** What we say of our own accord waits for no answer of ours. */
const isUrgent = (message: JsonRpcMessage) => endsHandshake(message) || cancelledBy(message) !== undefined
