/**
 * Pauses Codex while listeners of its threads are behind, and no other thread waits for it.
 */

/** The pace of one Codex. */
export interface CodexPace {
  /** Sets whether the listener of a thread is behind. */
  readonly hold: (threadId: string, isHeld: boolean) => void
  /** A request or a listener was added or removed. */
  readonly changed: () => void
  /** A thread has no listener any more. */
  readonly left: (threadId: string) => void
}

/**
 * Starts without a pause.
 *
 * @param isAwaited whether anything waits for Codex except the threads whose listeners are behind
 * @param hold pauses Codex, or resumes it
 */
export const make = (isAwaited: (held: ReadonlySet<string>) => boolean, hold: (isHeld: boolean) => void): CodexPace => {
  const held = new Set<string>()
  const pace = () => hold(held.size > 0 && !isAwaited(held))
  return {
    hold: (threadId, isHeld) => {
      if (isHeld) held.add(threadId)
      else held.delete(threadId)
      pace()
    },
    changed: () => {
      if (held.size > 0) pace()
    },
    left: (threadId) => {
      if (held.delete(threadId) || held.size > 0) pace()
    },
  }
}
