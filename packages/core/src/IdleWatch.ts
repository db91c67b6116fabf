/**
 * Ends the turns of a client that are silent: one fiber for all sessions with the same limit.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as KeepAlive from "./KeepAlive.ts"

/**
 * The turn of a session.
 *
 * - `silence`: the milliseconds since its last sign of life
 * - `stalled`: ends it; called once its silence has reached the limit
 */
export interface Watched {
  readonly silence: (now: number) => number
  readonly stalled: () => void
}

/**
 * - `ready`: run the effect, if any, before the first turn with a limit
 * - `begin`: watches a turn
 * - `end`: stops watching it
 */
export interface IdleWatch {
  readonly ready: (limit: number) => Effect.Effect<void> | undefined
  readonly begin: (limit: number, turn: Watched) => void
  readonly end: (limit: number, turn: Watched) => void
}

/** @param scope of the fibers: the client's */
export const make = (clock: Clock.Clock, scope: Scope.Scope): IdleWatch => {
  const underWay = new Map<number, Set<Watched>>()

  /** Sleeps until a turn can have reached the limit. A turn that begins meanwhile cannot reach it sooner. */
  const look = (limit: number, turns: ReadonlySet<Watched>) =>
    Effect.suspend(() => {
      const now = clock.currentTimeMillisUnsafe()
      let max = 0
      for (const turn of turns) {
        const silence = turn.silence(now)
        if (silence < limit) max = Math.max(max, silence)
        else stall(turn)
      }
      return KeepAlive.sleep(clock, limit - max)
    })

  const start = (limit: number) =>
    Effect.suspend(() => {
      // Of the turns that waited together, the first has started it.
      if (underWay.has(limit)) return Effect.void
      const turns = new Set<Watched>()
      return Effect.map(Effect.forkIn(Effect.forever(look(limit, turns)), scope), () => {
        if (!underWay.has(limit)) underWay.set(limit, turns)
      })
    })

  return {
    ready: (limit) => (underWay.has(limit) ? undefined : start(limit)),
    begin: (limit, turn) => void underWay.get(limit)?.add(turn),
    end: (limit, turn) => void underWay.get(limit)?.delete(turn),
  }
}

/** An adapter that throws must not end the watch of other sessions. */
const stall = ({ stalled }: Watched) => {
  try {
    stalled()
  } catch {
    // The turn stays under way until its deadline.
  }
}
