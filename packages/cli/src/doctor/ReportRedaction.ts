/**
 * Redacts secrets and personal data, so that a report is safe to paste.
 *
 * Known secret values are redacted in output of servers and agents before it is parsed: `secretsOf`. A finished report
 * is redacted by patterns alone, so that a value in a file cannot change its text.
 */
import { homedir } from "node:os"
import { isAbsolute } from "node:path"
import * as Environment from "@zain/process/Environment"
import * as Redactor from "@zain/process/Redactor"
import type { Variables } from "../SafePath.ts"

/** Redacts a text. */
export type ReportRedaction = (text: string) => string

/** Shorter values are too likely to be ordinary words. */
const minLength = 8

/** The secret values of the host's environment. */
export const secretsOf = (env: Variables): ReadonlyArray<string> =>
  Environment.make(env, ["*"]).secrets.filter(({ length }) => length >= minLength)

/** Shorter paths are not redacted as a home. */
const minHomeLength = 3

/** @param env the environment whose home is redacted */
export const make = (env: Variables): ReportRedaction => {
  const homeless = withoutHome(env)
  return (text) => homeless(Redactor.withoutLooks(text))
}

/** For command lines: secrets are already redacted by position, and the other words must stay exact. */
export const withoutHome = (env: Variables): ReportRedaction => {
  const homes = [env["HOME"], env["USERPROFILE"], homedir()].filter(
    (home): home is string => home !== undefined && home.length >= minHomeLength && isAbsolute(home),
  )
  return (text) =>
    homes.reduce((shown, home) => shown.replaceAll(new RegExp(`${escaped(home)}(?![\\w.-])`, "g"), "~"), text)
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")

/** Redacts every text in a value; `target` is a command line, or a URL without secrets. */
export const all = <A>(value: A, env: Variables): A => {
  const [redact, homeless] = [make(env), withoutHome(env)]
  const clean = (one: unknown, name = ""): unknown => {
    if (typeof one === "string") return name === "target" ? homeless(one) : redact(one)
    if (Array.isArray(one)) return one.map((each) => clean(each))
    if (typeof one !== "object" || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [redact(name), clean(inner, name)]))
  }
  return clean(value) as A
}
