/**
 * When a client is notified that its tools have changed: once for a burst, and only if they have.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** How long a burst of changes may last that becomes one notification. */
const burst = "250 millis"
const maxBurst = 1_024

export interface ToolChanges {
  /** Emits an element per notification. */
  readonly changes: Stream.Stream<unknown>
  /** Notes that the client has received the current tools. */
  readonly seen: Effect.Effect<void>
}

/**
 * @param list the tools as they are
 * @param signals elements whenever they may have changed
 */
export const make = (list: () => unknown, signals: Stream.Stream<void>): ToolChanges => {
  let last = ""
  const digest = () => JSON.stringify(list())
  const renewed = () => {
    const now = digest()
    const isNew = now !== last
    last = now
    return isNew
  }
  return {
    changes: signals.pipe(Stream.groupedWithin(maxBurst, burst), Stream.filter(renewed)),
    seen: Effect.sync(() => void renewed()),
  }
}
