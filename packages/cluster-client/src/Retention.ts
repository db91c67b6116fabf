/**
 * Removes what is old from the ledger. Every runner does it; rows that another one removes at the same time are skipped.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { type Expiry, Ledger } from "./Ledger.ts"

/** Answers for ten minutes, verdicts for a day, sessions for a week after their last use. */
export const defaults: Expiry = {
  answers: Duration.minutes(10),
  turns: Duration.days(1),
  sessions: Duration.days(7),
  maxRows: 1000,
}

/** About once a minute; runners that were started together do not stay in step. */
const pauses = Schedule.jittered(Schedule.spaced("1 minute"))

/**
 * Expires rows until the Scope ends.
 *
 * @param expiry the ages, and how many rows one statement changes; `defaults` where it is omitted
 */
export const layer = (expiry: Partial<Expiry> = {}): Layer.Layer<never, never, Ledger> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { expire } = yield* Ledger
      const all = { ...defaults, ...expiry }
      const round = Effect.repeat(expire(all), { while: (changed) => changed >= all.maxRows }).pipe(
        Effect.catch(({ message }) => Effect.logWarning(`Old rows of the ledger stay for now. ${message}`)),
      )
      yield* Effect.forkScoped(Effect.repeat(round, pauses))
    }),
  )
