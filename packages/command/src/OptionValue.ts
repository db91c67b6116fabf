/**
 * Readers for the values of options and environment variables.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/** Reads a value; fails with one sentence. `name` is the option, such as `--port`, or the variable. */
export type Reader<A> = (name: string, given: string) => Result.Result<A, string>

/**
 * Fails for a value that an option does not accept.
 *
 * @param expected the accepted values, in words
 */
export const refuse = (name: string, expected: string, given: string) =>
  Result.fail(`${name} takes ${expected}, not ${JSON.stringify(given)}.`)

/** Reads any text. */
export const text: Reader<string> = (_, given) => Result.succeed(given)

/** Reads a whole number from `min` to `max`, both included. */
export const wholeNumber =
  (min: number, max: number): Reader<number> =>
  (name, given) =>
    /^\d{1,15}$/.test(given) && Number(given) >= min && Number(given) <= max
      ? Result.succeed(Number(given))
      : refuse(name, `a whole number from ${min} to ${max}`, given)

/** Reads one of these words, in upper or lower case. */
export const oneOf =
  <const Words extends ReadonlyArray<string>>(words: Words): Reader<Words[number]> =>
  (name, given) => {
    const found = words.find((word) => word === given.trim().toLowerCase())
    return found === undefined ? refuse(name, inWords(words), given) : Result.succeed(found)
  }

/** Joins words as `a, b or c`. */
export const inWords = (words: ReadonlyArray<string>): string =>
  words.length === 1 ? String(words[0]) : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

/** Reads a size in mebibytes, and returns it in bytes. */
export const mebibytes: Reader<number> = (name, given) => {
  const [, count = ""] = /^(\d{1,4})(?:MiB|M)?$/i.exec(given.trim()) ?? []
  return count !== "" && Number(count) >= 1 && Number(count) <= 1_024
    ? Result.succeed(Number(count) * 2 ** 20)
    : refuse(name, "mebibytes from 1 to 1024, such as 64MiB", given)
}

/** Reads the name of a variable. An invalid name is not quoted, since it may be a secret value. */
export const variableName: Reader<string> = (name, given) =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(given)
    ? Result.succeed(given)
    : Result.fail(`${name} takes the name of a variable, such as MY_PROVIDER_KEY, and passes its value on.`)

/** The accepted durations, in words. */
export const durationInWords = 'a duration such as 30s, 10m or "5 minutes"'

/** Reads a duration above zero: `4s`, `10m`, `1h 30m`, or in Effect's notation, `"10 seconds"`. */
export const duration: Reader<Duration.Duration> = (name, given) => {
  const read = short(given) ?? Option.getOrUndefined(Duration.fromInput(given as Duration.Input))
  return read !== undefined && Duration.isPositive(read) ? Result.succeed(read) : refuse(name, durationInWords, given)
}

/** In milliseconds. */
const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const part = /(\d{1,15}(?:\.\d{1,3})?)(ms|[smhd])/g

const short = (given: string): Duration.Duration | undefined => {
  if (given.replace(part, "").trim() !== "") return undefined
  const parts = [...given.matchAll(part)]
  return Duration.millis(parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (units[unit] ?? 0), 0))
}
