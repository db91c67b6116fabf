/**
 * Formats scores and gains.
 */

/**
 * A score with one decimal, or with two if the second is not 0. Rounded down: 7.996 does not read as 8.
 *
 * @param value the score, from 0 to 10
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
 * A difference of scores with its sign. Rounded towards 0: 0.499 does not read as 0.5.
 *
 * @param value the later score minus the earlier one
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
