/**
 * Durations above zero: the limits and deadlines that options accept.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/** What a message says of the accepted values. */
export const expected = 'a duration above zero, such as "30 seconds", "5 minutes" or 300000 (milliseconds)'

/** Reads an option of any type. */
export const read = (input: unknown): Option.Option<Duration.Duration> =>
  Option.filter(Duration.fromInput(input as Duration.Input), Duration.isPositive)
