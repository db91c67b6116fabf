/** A scheduler and a clock that the test controls. */
import { Clock, Context, Duration, Effect, type Fiber, References, Scheduler } from "effect"

/**
 * - `fork`: runs an effect with this scheduler and clock until it first waits, or yields after `steps` operations
 * - `schedule`: adds a ready task
 * - `step`: runs one of the ready tasks; returns whether there was one
 * - `drain`: runs tasks, oldest first, until none is ready
 * - `pass`: advances the clock, which makes sleeping fibers ready
 * - `sleepers`: the number of sleeping fibers
 */
export interface Stepper {
  readonly fork: <A, E>(effect: Effect.Effect<A, E>, steps?: number) => Fiber.Fiber<A, E>
  readonly schedule: (task: () => void) => void
  readonly step: (pick: number) => boolean
  readonly drain: () => void
  readonly pass: (millis: number) => void
  readonly now: () => number
  readonly sleepers: () => number
}

/** More tasks than any run needs until none is ready. */
const endless = 200_000

export const make = (): Stepper => {
  const ready: Array<() => void> = []
  const asleep = new Set<{ readonly until: number; readonly wake: () => void }>()
  let now = 0

  const schedule = (task: () => void) => void ready.push(task)
  const scheduler = new Scheduler.MixedScheduler("async", (task) => {
    schedule(task)
    return () => {
      const index = ready.indexOf(task)
      if (index >= 0) ready.splice(index, 1)
    }
  })
  const nanos = () => BigInt(now) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        const sleeper = { until: now + Duration.toMillis(duration), wake: () => resume(Effect.void) }
        asleep.add(sleeper)
        return Effect.sync(() => asleep.delete(sleeper))
      }),
  }
  const world = Context.make(Scheduler.Scheduler, scheduler).pipe(Context.add(Clock.Clock, clock))

  const step = (pick: number) => {
    const [task] = ready.splice(pick % Math.max(1, ready.length), 1)
    task?.()
    return task !== undefined
  }

  return {
    fork: (effect, steps) =>
      Effect.runForkWith(steps === undefined ? world : Context.add(world, References.MaxOpsBeforeYield, steps))(effect),
    schedule,
    step,
    drain: () => {
      for (let count = 0; step(0); count++) if (count > endless) throw new Error("Tasks stay ready for ever.")
    },
    pass: (millis) => {
      now += millis
      for (const sleeper of asleep) {
        if (sleeper.until > now) continue
        asleep.delete(sleeper)
        schedule(sleeper.wake)
      }
    },
    now: () => now,
    sleepers: () => asleep.size,
  }
}
