/**
 * Holds an agent back while the listener of its turn is behind.
 */
import type { TurnListener } from "./Agent.ts"
import type { ModelTimeout } from "./ModelTimeout.ts"

/**
 * - `told`: the listener has been told something
 * - `end`: the agent is held back no more, also if the listener never catches up
 */
export interface TurnPace {
  readonly told: () => void
  readonly end: () => void
}

/**
 * The pace of one turn.
 *
 * @param listener receives the turn's events
 * @param timeout rests while the agent is held back
 * @param hold holds the agent back, or lets it go on
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
    told: () => {
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
