/**
 * What must not show in what somebody pastes into a bug report: secrets, and who they are.
 */
import { homedir } from "node:os"
import * as Environment from "@zain/sdk-client/Environment"
import * as Redactor from "@zain/sdk-client/Redactor"
import type { Variables } from "../SafePath.ts"

/** A text without them. */
export type Discretion = (text: string) => string

/** The value of a variable that is shorter is too likely to be a word. */
const shortest = 8

/** What is a secret by its looks. */
const patterns: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, "$1 <redacted>"],
  [/\b(?:sk|ghp|gho|xox[a-z]|glpat)[-_](?=[\w-]{0,99}\d)[\w-]{16,}/g, "<redacted>"],
  [/(\/\/)[^\s/@:]+(?::[^\s/@]*)?@/g, "$1<redacted>@"],
]

/** A home that is this short is no one's. */
const shortestHome = 3

/**
 * @param env whose secrets do not show
 * @param others secrets beside them
 */
export const make = (env: Variables, others: ReadonlyArray<string> = []): Discretion => {
  const { secrets } = Environment.make(env, ["*"], { env: {} })
  const redact = Redactor.make([...secrets.filter(({ length }) => length >= shortest), ...others])
  const homes = [env["HOME"], env["USERPROFILE"], homedir()].filter(
    (home): home is string => home !== undefined && home.length >= shortestHome,
  )
  return (text) =>
    homes.reduce(
      (shown, home) => shown.replaceAll(new RegExp(`${escaped(home)}(?![\\w.-])`, "g"), "~"),
      patterns.reduce((clean, [pattern, shown]) => clean.replace(pattern, shown), redact(text)),
    )
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")

/** The same for every text in a value. */
export const all = <A>(value: A, discretion: Discretion): A => {
  const clean = (one: unknown): unknown => {
    if (typeof one === "string") return discretion(one)
    if (Array.isArray(one)) return one.map(clean)
    if (typeof one !== "object" || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [discretion(name), clean(inner)]))
  }
  return clean(value) as A
}
