import * as Effect from "effect/Effect"

/** In milliseconds. It only ends what hangs, in time for a message that says what was missing. */
const safetyTimeoutMillis = 240_000

/** Looks again and again until something holds. `otherwise`: what is said if it never does. */
export const until = (holds: () => boolean, otherwise: () => string): Effect.Effect<void> =>
  Effect.promise(async () => {
    const end = performance.now() + safetyTimeoutMillis
    while (!holds()) {
      if (performance.now() > end) throw new Error(otherwise())
      await new Promise((resume) => setTimeout(resume, 50))
    }
  })

/** Looks again and again until nothing is left. */
export const gone = (left: () => ReadonlyArray<unknown>): Effect.Effect<void> =>
  until(
    () => left().length === 0,
    () => `Left: ${JSON.stringify(left())}`,
  )
