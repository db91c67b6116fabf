/**
 * How long a call may take after it was sent.
 */
import * as Duration from "effect/Duration"
import type { Arguments } from "./Catalogue.ts"
import type { EditorProfile } from "./EditorProfile.ts"

export type TimeoutOf = (params: Arguments) => Duration.Duration

/** How much longer than the editor's own limit of a call its answer may take. */
const beyond = Duration.seconds(10)

/** @param base `--timeout` */
export const of =
  ({ limit, usualTimeout }: Pick<EditorProfile, "limit" | "usualTimeout">, base = usualTimeout): TimeoutOf =>
  (params) => {
    const own = limit?.(params)
    return own === undefined ? base : Duration.max(base, Duration.sum(own, beyond))
  }
