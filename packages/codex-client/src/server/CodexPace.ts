/**
 * Pauses Codex while listeners of its turns are behind, and no other turn waits for it.
 */

/** The pace of one Codex. Its turns are compared by identity. */
export interface CodexPace {
  /** Sets whether the listener of a turn is behind. */
  readonly hold: (turn: object, isHeld: boolean) => void
  /** A request or a listener was added or removed. */
  readonly changed: () => void
  /** A turn has no listener any more. */
  readonly left: (turn: object) => void
}

/**
 * Starts without a pause.
 *
 * @param isAwaited whether anything waits for Codex except the turns whose listeners are behind
 * @param hold pauses Codex, or resumes it
 */
export const make = (isAwaited: (held: ReadonlySet<object>) => boolean, hold: (isHeld: boolean) => void): CodexPace => {
  const held = new Set<object>()
  const pace = () => hold(held.size > 0 && !isAwaited(held))
  return {
    hold: (turn, isHeld) => {
      if (isHeld) held.add(turn)
      else held.delete(turn)
      pace()
    },
    changed: () => {
      if (held.size > 0) pace()
    },
    left: (turn) => {
      if (held.delete(turn) || held.size > 0) pace()
    },
  }
}
