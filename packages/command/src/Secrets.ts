/**
 * Redacts secrets in logs, answers and error messages.
 *
 * @see docs/internals/promises.md, 19
 */
import * as Environment from "@zain/process/Environment"
import * as Redactor from "@zain/process/Redactor"
import type * as OptionTable from "./OptionTable.ts"

/** Replaces the secrets in a text. */
export type Mask = Redactor.Redactor

/** In characters. A shorter value is likely a word, such as `none` or `auto`. */
const minValueLength = 8

/** Parts of names that mark a secret for child processes, but not for messages. */
const harmless = /AUTHOR(?!I[SZ])|PROXY/gi

/**
 * Makes a redactor.
 *
 * @param env the variables; values of those with a secret's name are redacted
 * @param others further secrets
 */
export const masking = (env: OptionTable.Environment, others: ReadonlyArray<string> = []): Mask => {
  const variables = Object.entries(env)
  // Numbered, because two names may be equal without the removed part.
  const named = variables.map(([name, value], number) => [`${number}_${name.replace(harmless, "_")}`, value] as const)
  const { secrets } = Environment.make(Object.fromEntries(named), ["*"])
  const ofProxies = variables.flatMap(([name, value]) => (/PROXY/i.test(name) ? credentials(value ?? "") : []))
  const long = [...secrets, ...ofProxies].filter(({ length }) => length >= minValueLength)
  const redact = Redactor.make([...long, ...others])
  return (text) => Redactor.withoutLooks(redact(text))
}

/** The user and the password of a proxy, together and separately, also of an invalid URL. */
const credentials = (proxy: string): ReadonlyArray<string> => {
  const both = proxy.slice(0, Math.max(0, proxy.lastIndexOf("@"))).replace(/^[\w+.-]*:\/\//, "")
  const [user = "", ...password] = both.split(":")
  return [both, user, password.join(":")]
}
