/**
 * The line of executes that want a turn of one session: first come, first served, one at a time, and no more than fit.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"

/** A place in the line. Whoever has the first one has the turn. */
interface Place {
  previous: Place | undefined
  next: Place | undefined
  isTaken: boolean
  call: (() => void) | undefined
}

/**
 * Waits for the turn and takes it. Runs once.
 *
 * @param ended hears how the turn ended, or why it never began; the next one begins after the effect that it returns
 */
export type TurnQueue<Full> = <A, E>(
  turn: Effect.Effect<A, E>,
  ended: (exit: Exit.Exit<A, E | Full>) => Effect.Effect<void> | undefined,
) => Effect.Effect<A, E | Full>

/**
 * A queue that nobody stands in.
 *
 * @param maxWaiting how many may wait
 * @param full what one more fails with, at once
 */
export const make = <Full>(maxWaiting: number, full: (waiting: number) => Full): TurnQueue<Full> => {
  let first: Place | undefined
  let last: Place | undefined
  let taken = 0

  const enter = (place: Place) => {
    place.isTaken = true
    place.previous = last
    if (last === undefined) first = place
    else last.next = place
    last = place
    taken++
  }

  const leave = (place: Place) => {
    if (!place.isTaken) return
    const { next, previous } = place
    if (previous !== undefined) previous.next = next
    if (next === undefined) last = previous
    else next.previous = previous
    taken--
    if (first !== place) return
    first = next
    next?.call?.()
  }

  /** Comes back in a step of its own: what the turn before has led to comes first, and no stack grows with the line. */
  const untilFirst = (place: Place) =>
    Effect.callback<void>((resume) => {
      place.call = () => resume(Effect.yieldNow)
      if (first === place) place.call()
    })

  return <A, E>(
    turn: Effect.Effect<A, E>,
    ended: (exit: Exit.Exit<A, E | Full>) => Effect.Effect<void> | undefined,
  ) => {
    const place: Place = { previous: undefined, next: undefined, isTaken: false, call: undefined }
    return Effect.onExit(
      // The place is taken where its end is sure to be heard: no interruption comes between the two.
      Effect.suspend((): Effect.Effect<A, E | Full> => {
        if (taken > maxWaiting) return Effect.fail(full(taken - 1))
        enter(place)
        return first === place ? turn : Effect.andThen(untilFirst(place), turn)
      }),
      (exit) => {
        let rest: Effect.Effect<void> | undefined
        try {
          rest = ended(exit)
        } finally {
          if (rest === undefined) leave(place)
        }
        return rest === undefined
          ? Effect.void
          : Effect.ensuring(
              rest,
              Effect.sync(() => leave(place)),
            )
      },
    )
  }
}
