/**
 * Holds an agent back while the listener of its turn is behind.
 */
import type { TurnListener } from "./Agent.ts"

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
 * @param hold holds the agent back, or lets it go on
 */
export const make = ({ room }: Pick<TurnListener, "room">, hold: (isHeld: boolean) => void): TurnPace => {
  let isHeld = false
  let isOver = false
  const proceed = () => {
    if (!isHeld) return
    isHeld = false
    hold(false)
  }
  return {
    told: () => {
      if (isHeld || isOver) return
      const caughtUp = room()
      if (caughtUp === undefined) return
      isHeld = true
      hold(true)
      void caughtUp.then(proceed)
    },
    end: () => {
      isOver = true
      proceed()
    },
  }
}
