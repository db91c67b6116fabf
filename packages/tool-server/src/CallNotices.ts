/**
 * The notifications of a call under way: sent in order, and before the call's result.
 *
 * @see Model Context Protocol 2025-11-25, progress
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { RequestContext } from "./Peer.ts"

/** The notifications of one call. */
export interface CallNotices {
  /** The client's progress token; `undefined` if the client requested no progress. */
  readonly progressToken: string | number | undefined
  /** Sends a notification; does nothing after `end`. */
  readonly send: (method: string, params: Readonly<Record<string, unknown>>) => void
  /** Sends `notifications/progress` with the next number and an optional message; does nothing without a token. */
  readonly progress: (message?: string) => void
  /** Calls `something` whenever no notification was sent for the length of the heartbeat. */
  readonly beat: (something: () => void) => Effect.Effect<never>
  /** Stops sending, and returns when the notifications under way have been sent. */
  readonly end: Effect.Effect<void>
}

/**
 * Makes the notifications of one call.
 *
 * @param request the call
 * @param heartbeat the longest time without a notification
 */
export const make = (
  { _meta, notify }: Pick<RequestContext, "_meta" | "notify">,
  heartbeat: Duration.Duration,
): Effect.Effect<CallNotices> =>
  Effect.map(Clock.Clock, (clock) => {
    const progressToken = _meta?.progressToken
    let said = clock.currentTimeMillisUnsafe()
    let progress = 0
    let isOver = false
    let sending: Promise<unknown> = Promise.resolve()

    /** Sends immediately; notifications arrive in the order of `send`. */
    const send: CallNotices["send"] = (method, params) => {
      if (isOver) return
      said = clock.currentTimeMillisUnsafe()
      const before = sending
      // Keeps unsent notifications only: a call may send a million.
      sending = notify({ method, params }).then(() => before)
    }
    const limit = Duration.toMillis(heartbeat)

    return {
      progressToken,
      send,
      progress: (message) => {
        if (progressToken === undefined) return
        progress++
        send("notifications/progress", { progressToken, progress, ...(message === undefined ? {} : { message }) })
      },
      beat: (something) =>
        Effect.forever(
          Effect.suspend(() => {
            const now = clock.currentTimeMillisUnsafe()
            if (now - said < limit) return Effect.sleep(limit - (now - said))
            said = now
            return Effect.sync(something)
          }),
        ),
      end: Effect.suspend(() => {
        isOver = true
        return Effect.promise(() => sending)
      }),
    }
  })
