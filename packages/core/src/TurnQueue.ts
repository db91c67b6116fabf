/**
 * The queue of executes of one session: first in, first out, one turn at a time, and bounded.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Scheduler from "effect/Scheduler"
import * as KeepAlive from "./KeepAlive.ts"

/** A place in the queue, a linked list. The first place has the turn. */
interface Place {
  previous: Place | undefined
  next: Place | undefined
  isTaken: boolean
  call: (() => void) | undefined
}

/**
 * Waits for its place to be first, and runs the turn. The effect runs once, and keeps the program running.
 *
 * @param ended receives the exit of the turn, or of the wait; the next turn begins after the effect that it returns
 */
export type TurnQueue<Full> = <A, E>(
  turn: () => Effect.Effect<A, E>,
  ended: (exit: Exit.Exit<A, E | Full>) => Effect.Effect<void> | undefined,
) => Effect.Effect<A, E | Full>

/**
 * Makes an empty queue.
 *
 * @param maxWaiting how many executes may wait beside the one that has the turn
 * @param full makes the error with which one more fails immediately
 */
export const make = <Full>(maxWaiting: number, full: (waiting: number) => Full): TurnQueue<Full> => {
  let first: Place | undefined
  let last: Place | undefined
  let taken = 0
  let scheduler: Scheduler.Scheduler | undefined
  let dispatcher: Scheduler.SchedulerDispatcher | undefined

  const enter = (place: Place) => {
    place.isTaken = true
    place.previous = last
    if (last === undefined) {
      first = place
      KeepAlive.hold()
    } else last.next = place
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
    if (next === undefined) KeepAlive.release()
    else next.call?.()
  }

  /**
   * Resumes as after a yield: fibers that the turn before has woken run first, and the stack does not grow with the
   * queue.
   */
  const whenFirst = <A, E>(place: Place, turn: () => Effect.Effect<A, E>) =>
    Effect.callback<A, E>(function (resume) {
      if (this !== scheduler) dispatcher = this.makeDispatcher()
      scheduler = this
      const on = dispatcher
      place.call = () => on?.scheduleTask(() => resume(Effect.suspend(turn)), 0)
      if (first === place) place.call()
    })

  return <A, E>(
    turn: () => Effect.Effect<A, E>,
    ended: (exit: Exit.Exit<A, E | Full>) => Effect.Effect<void> | undefined,
  ) => {
    const place: Place = { previous: undefined, next: undefined, isTaken: false, call: undefined }
    return Effect.onExitPrimitive(
      // The place is taken inside `onExit`, so that no interruption can come before the finalizer is installed.
      Effect.suspend((): Effect.Effect<A, E | Full> => {
        if (taken > maxWaiting) return Effect.fail(full(taken - 1))
        enter(place)
        return first === place ? turn() : whenFirst(place, turn)
      }),
      (exit) => {
        let rest: Effect.Effect<void> | undefined
        try {
          rest = ended(exit)
        } finally {
          if (rest === undefined) leave(place)
        }
        return (
          rest &&
          Effect.ensuring(
            rest,
            Effect.sync(() => leave(place)),
          )
        )
      },
    )
  }
}
