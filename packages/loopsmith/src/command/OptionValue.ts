/**
 * What the values of options and of variables may be. `name` is what people wrote the value for, and each reader gives
 * the value, or one sentence on what is wrong with it.
 */
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"

/** The levels of the log, from the most to the least. */
export const logLevels = ["debug", "info", "warn", "error"] as const
export type LogLevel = (typeof logLevels)[number]

type Reader<A> = (name: string, given: string) => Result.Result<A, string>

const refuse = (name: string, expected: string, given: string) =>
  Result.fail(`${name} takes ${expected}, not ${JSON.stringify(given)}.`)

/** One of a few words; upper and lower case are the same. */
export const oneOf =
  <const Words extends ReadonlyArray<string>>(words: Words): Reader<Words[number]> =>
  (name, given) => {
    const found = words.find((word) => word === given.trim().toLowerCase())
    return found === undefined ? refuse(name, inWords(words), given) : Result.succeed(found)
  }

const inWords = (words: ReadonlyArray<string>): string =>
  words.length === 1 ? String(words[0]) : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

const decimal = /^\d{1,15}(\.\d{1,15})?$/

/** A score from 0 to 10, with or without decimals. */
export const score: Reader<number> = (name, given) =>
  decimal.test(given) && Number(given) <= 10
    ? Result.succeed(Number(given))
    : refuse(name, "a score from 0 to 10, such as 8 or 7.5", given)

/** Yes or no. */
export const yesOrNo: Reader<boolean> = (name, given) =>
  Result.map(oneOf(["true", "false", "1", "0"])(name, given), (word) => word === "true" || word === "1")

/** The longest that a timer can wait. */
const longestTimer = 2 ** 31 - 1

/** A whole number of milliseconds. */
export const millis: Reader<Duration.Duration> = (name, given) =>
  /^\d{1,10}$/.test(given) && Number(given) > 0 && Number(given) <= longestTimer
    ? Result.succeed(Duration.millis(Number(given)))
    : refuse(name, "milliseconds, such as 120000", given)

/** The name of a variable, whose value is passed on. */
export const variable: Reader<string> = (name, given) =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(given)
    ? Result.succeed(given)
    : // A value may be a secret: it is not repeated.
      Result.fail(`${name} takes the name of a variable, such as MY_PROVIDER_KEY, and passes its value on.`)

/** Weights by criterion, such as `completeness=3,clarity=1`, as they are written. */
export const weights: Reader<Readonly<Record<string, number>>> = (name, given) => {
  const pairs = given.split(",").map((part) => part.split("="))
  const isRead = pairs.every(
    ([key = "", weight = "", ...rest]) => key.trim() !== "" && decimal.test(weight.trim()) && rest.length === 0,
  )
  const names = pairs.map(([key = ""]) => key.trim())
  if (!isRead) return refuse(name, "weights such as completeness=3,accuracy=3,clarity=2,usability=2", given)
  const twice = names.find((key, at) => names.indexOf(key) !== at)
  if (twice !== undefined) return Result.fail(`${name} has two weights for ${twice}.`)
  return Result.succeed(Object.fromEntries(pairs.map(([key = "", weight]) => [key.trim(), Number(weight)])))
}
