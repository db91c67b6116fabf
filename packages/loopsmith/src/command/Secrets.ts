/**
 * What must not show in a log, an answer or a report of an error, whoever said it.
 *
 * @see system page, acceptance 11
 */
import * as Environment from "@zain/sdk-client/Environment"
import * as Redactor from "@zain/sdk-client/Redactor"

/** A text without the secrets. */
export type Mask = Redactor.Redactor

/** What is a secret by its looks: credentials of HTTP, keys of model providers, users and passwords in URLs. */
const patterns: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(authorization["'\s:=]{1,8}(?:Bearer|Basic)\s+)[\w.~+/=-]+/gi, "$1<redacted>"],
  // Without that word before it, only what no sentence has there.
  [/\b(Bearer\s+)(?=[\w.~+/=-]*\d)[\w.~+/=-]{8,}/gi, "$1<redacted>"],
  [/\bsk-[\w-]{8,}/g, "<redacted>"],
  [/(\/\/)[^\s/@:]+:[^\s/@]+@/g, "$1<redacted>@"],
]

/** The value of a variable that is shorter is too likely to be a word, such as `none` or `auto`. */
const shortestValue = 8

/**
 * @param env whose values are secrets where their names say so
 * @param others secrets beside them
 */
export const masking = (
  env: Readonly<Record<string, string | undefined>>,
  others: ReadonlyArray<string> = [],
): Mask => {
  const { secrets } = Environment.make(env, ["*"], { env: {} })
  const redact = Redactor.make([...secrets.filter(({ length }) => length >= shortestValue), ...others])
  return (text) => patterns.reduce((clean, [pattern, shown]) => clean.replace(pattern, shown), redact(text))
}
