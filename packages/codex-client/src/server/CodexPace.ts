/**
 * Holds Codex back while listeners of its threads are behind, and no other thread waits for it.
 */

/**
 * - `hold`: whether the listener of a thread is behind
 * - `changed`: something may be awaited now that was not, or the other way round
 * - `left`: nothing listens to a thread any more
 */
export interface CodexPace {
  readonly hold: (threadId: string, isHeld: boolean) => void
  readonly changed: () => void
  readonly left: (threadId: string) => void
}

/**
 * Nothing is held back.
 *
 * @param isAwaited whether Codex is waited for, but for the threads whose listeners are behind
 * @param hold holds Codex back, or lets it go on
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
