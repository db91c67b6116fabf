/**
 * Pauses an agent while the listener of its turn is behind.
 */

import type { ModelTimeout } from "./ModelTimeout.ts"
import type { TurnListener } from "./ServedAgent.ts"

/** The pace of one turn. */
export interface TurnPace {
  /** The listener has received an event. */
  readonly emitted: () => void
  /** The agent is not paused from now on, even if the listener never catches up. */
  readonly end: () => void
}

/**
 * Makes the pace of one turn.
 *
 * @param listener receives the turn's events
 * @param timeout rests while the agent is paused
 * @param hold pauses the agent, or resumes it
 */
export const make = (
  { room }: Pick<TurnListener, "room">,
  timeout: Pick<ModelTimeout, "rest">,
  hold: (isHeld: boolean) => void,
): TurnPace => {
  let isHeld = false
  let isOver = false
  const pause = (is: boolean) => {
    isHeld = is
    timeout.rest(is)
    hold(is)
  }
  const proceed = () => {
    if (isHeld) pause(false)
  }
  return {
    emitted: () => {
      if (isHeld || isOver) return
      const caughtUp = room()
      if (caughtUp === undefined) return
      pause(true)
      void caughtUp.then(proceed)
    },
    end: () => {
      isOver = true
      proceed()
    },
  }
}
