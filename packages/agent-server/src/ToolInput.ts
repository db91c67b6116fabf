/**
 * Bounds the input of a tool for events.
 */

import { clip } from "@zain/command/Clip"
import { isRecord } from "@zain/process/JsonRpc"

/** Limits of a text and of the whole input, in characters, and of its depth. */
const [maxTextLength, maxLength, maxDepth] = [4 * 1024, 32 * 1024, 8]

/** The same value with long texts cut, and `…` in place of everything beyond the limits. */
export const shortened = (input: unknown): unknown => {
  let left = maxLength
  const short = (value: unknown, depth: number): unknown => {
    left -= 8
    if (left <= 0 || depth > maxDepth) return "…"
    if (typeof value === "string") {
      const text = clip(value, Math.min(maxTextLength, left))
      left -= text.length
      return text
    }
    if (Array.isArray(value)) return bounded(value).map((one) => short(one, depth + 1))
    if (!isRecord(value)) return value
    return Object.fromEntries(
      bounded(Object.entries(value)).map(([key, one]) => {
        left -= key.length
        return [clip(key, maxTextLength), short(one, depth + 1)]
      }),
    )
  }
  /** Each value costs at least 8 characters, so further values would not fit. */
  const bounded = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => values.slice(0, Math.max(0, Math.ceil(left / 8)))
  return short(input, 0)
}
