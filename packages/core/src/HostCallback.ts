/**
 * Runs functions of the host: policies, and tools of its own.
 */
import * as Effect from "effect/Effect"

/** What a function of the host may return: a value, a promise of one, or an Effect. */
export type Eventually<A> = A | PromiseLike<A> | Effect.Effect<A, unknown>

/** An Effect of what the function has returned. */
export const settle = <A>(value: Eventually<A>): Effect.Effect<A, unknown> => {
  if (Effect.isEffect(value)) return value
  const isPromise = typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"
  return isPromise ? Effect.promise(async () => await value) : Effect.succeed(value as A)
}

/**
 * Runs a function of the host on a fiber of its own, so that an interruption does not wait for its end.
 *
 * @param start calls the function; its signal aborts with the interruption
 */
export const unattached = <A>(start: (signal: AbortSignal) => Eventually<A>): Effect.Effect<A, unknown> =>
  Effect.flatMap(Effect.context<never>(), (context) =>
    Effect.callback<A, unknown>((resume) => {
      const abort = new AbortController()
      const fiber = Effect.runForkWith(context)(Effect.suspend(() => settle(start(abort.signal))))
      fiber.addObserver((exit) => resume(exit))
      return Effect.sync(() => {
        abort.abort()
        fiber.interruptUnsafe()
      })
    }),
  )

/** The words of a thrown value, which may be anything, also an object whose `message` or `toString` throws. */
export const wordsOf = (cause: unknown): string => {
  try {
    return String(cause instanceof Error ? cause.message : cause) || "the error has no message"
  } catch {
    return "the thrown value has no text"
  }
}
