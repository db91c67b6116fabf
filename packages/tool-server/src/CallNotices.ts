/**
 * What a client is told of a call while it is under way: in order, counted, and before its result.
 *
 * @see Model Context Protocol 2025-11-25, progress
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { CallExtra } from "./ToolServer.ts"

/**
 * - `progressToken`: how the client wants to hear of progress, if it does
 * - `send`: tells of anything
 * - `progress`: tells that the call is one step further, in words where there are any; nothing without a token
 * - `beat`: says something whenever nothing else was said for a while
 * - `end`: nothing is said any more; waits until what was said is on its way
 */
export interface CallNotices {
  readonly progressToken: string | number | undefined
  readonly send: (method: string, params: Readonly<Record<string, unknown>>) => void
  readonly progress: (message?: string) => void
  readonly beat: (something: () => void) => Effect.Effect<never>
  readonly end: Effect.Effect<void>
}

/**
 * The notices of one call.
 *
 * @param extra what the SDK knows of the call
 * @param heartbeat the longest silence
 */
export const make = (
  { _meta, sendNotification }: Pick<CallExtra, "_meta" | "sendNotification">,
  heartbeat: Duration.Duration,
): Effect.Effect<CallNotices> =>
  Effect.map(Clock.Clock, (clock) => {
    const progressToken = _meta?.progressToken
    let said = clock.currentTimeMillisUnsafe()
    let progress = 0
    let isOver = false
    let sending: Promise<unknown> = Promise.resolve()

    /** Every notification sets out at once, in the order of its call. */
    const send: CallNotices["send"] = (method, params) => {
      if (isOver) return
      said = clock.currentTimeMillisUnsafe()
      const sent = sendNotification({ method, params } as unknown as Parameters<typeof sendNotification>[0])
      const before = sending
      // What is on its way is kept, and nothing else: a call may say a million things.
      sending = sent.catch(() => {}).then(() => before)
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
