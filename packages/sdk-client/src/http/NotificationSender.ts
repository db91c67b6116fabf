/**
 * Sends notifications and answers, a few at a time: a server that sends many requests and reads slowly must not fill the
 * memory or use every connection.
 */
import type { McpError } from "@zain/core/McpError"
import { cancelledBy, endsHandshake, type JsonRpcMessage } from "@zain/process/JsonRpc"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Failure from "../Failure.ts"
import * as Post from "./Post.ts"

/** The queue of one wire. */
export interface NotificationSender {
  /** Queues a message. Resolves when the server has accepted it or sending has failed. A full queue drops the message. */
  readonly send: (message: JsonRpcMessage) => Promise<void>
  /** Waits until no message is under way, at most as long as the limit. */
  readonly drained: (limit: Duration.Duration) => Effect.Effect<void>
}

/** Receives the failures that matter; any other failed message is ignored. */
export interface Listener {
  /** Called when the last message of the handshake failed. */
  readonly failed: (error: McpError) => void
  /** Called when the server has ended the session. */
  readonly ended: (error: McpError) => void
}

/** How many messages are sent at once, and how many are queued. */
const maxAtOnce = 4
const waitingMost = 1_000

/** The limit for one message, in milliseconds. The last message of the handshake has the handshake's limit. */
const limit = 10_000

/** Starts with an empty queue. */
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
    if (underWay < maxAtOnce) waiting.shift()?.()
    if (underWay > 0) return
    for (const resolve of onIdle) resolve()
    onIdle = []
  }
  const post = (message: JsonRpcMessage, settled: () => void) => {
    const isLast = endsHandshake(message)
    const outcome: Post.Outcome = {
      taken: () => {
        if (isLast) posting.session.opened()
        settled()
      },
      wrong: (error) => {
        if (error.reason === "session-expired") ended(Failure.delivered(error, "unknown"))
        else if (isLast) failed(error)
        settled()
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
        if (underWay < maxAtOnce || isUrgent(message)) begin()
        else if (waiting.length < waitingMost) waiting.push(begin)
        else resolve()
      }),
    drained,
  }
}

/** The last message of the handshake and cancellations are not queued behind answers. */
const isUrgent = (message: JsonRpcMessage) => endsHandshake(message) || cancelledBy(message) !== undefined
