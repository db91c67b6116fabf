/**
 * How scores are written.
 */

/**
 * A score with one decimal, or two where one would hide something. Rounded down, so that 7.996 never reads as the 8 that
 * it missed.
 *
 * @example
 * ```ts
 * import { ScoreText } from "@zain/loopsmith"
 *
 * ScoreText.score(8) // "8.0"
 * ScoreText.score(7.996) // "7.99"
 * ```
 */
export const score = (value: number): string => {
  const hundredths = Math.floor(Number((value * 100).toFixed(6)))
  return (hundredths / 100).toFixed(hundredths % 10 === 0 ? 1 : 2)
}

/**
 * A difference of scores, with its sign. Rounded towards 0, so that 0.499 never reads as the 0.5 that it is not.
 *
 * @example
 * ```ts
 * import { ScoreText } from "@zain/loopsmith"
 *
 * ScoreText.gain(-0.25) // "−0.25"
 * ```
 */
export const gain = (value: number): string => {
  const size = score(Math.abs(value))
  if (Number(size) === 0) return "±0.0"
  return `${value < 0 ? "−" : "+"}${size}`
}
