/**
 * What must not appear in a log, an answer or the report of an error.
 *
 * @see promise 19
 */
import * as Environment from "@zain/process/Environment"
import * as Redactor from "@zain/process/Redactor"
import type * as OptionTable from "./OptionTable.ts"

/** A text without the secrets. */
export type Mask = Redactor.Redactor

/** The value of a variable that is shorter is too likely to be a word, such as `none` or `auto`. */
const shortestValue = 8

/** What makes a variable a secret for processes that are started, and does not make it one for people. */
const harmless = /AUTHOR(?!I[SZ])|PROXY/gi

/**
 * @param env whose values are secrets where their names say so
 * @param others secrets beside them
 */
export const masking = (env: OptionTable.Environment, others: ReadonlyArray<string> = []): Mask => {
  const variables = Object.entries(env)
  // Numbered: two names may differ in nothing but what is taken out.
  const named = variables.map(([name, value], number) => [`${number}_${name.replace(harmless, "_")}`, value] as const)
  const { secrets } = Environment.make(Object.fromEntries(named), ["*"])
  const ofProxies = variables.flatMap(([name, value]) => (/PROXY/i.test(name) ? credentials(value ?? "") : []))
  const long = [...secrets, ...ofProxies].filter(({ length }) => length >= shortestValue)
  const redact = Redactor.make([...long, ...others])
  return (text) => Redactor.withoutLooks(redact(text))
}

/** The user and the password of a proxy, together and each, also where its URL is none. */
const credentials = (proxy: string): ReadonlyArray<string> => {
  const both = proxy.slice(0, Math.max(0, proxy.lastIndexOf("@"))).replace(/^[\w+.-]*:\/\//, "")
  const [user = "", ...password] = both.split(":")
  return [both, user, password.join(":")]
}
