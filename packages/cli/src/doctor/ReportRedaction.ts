/**
 * What must not show in what somebody pastes into a bug report: secrets, and who they are.
 *
 * Secrets by their values are taken out where servers and agents speak, before anything is made of it: `secretsOf`. A
 * finished report is cleaned of what has the looks of one alone, so that no value of a file's can change its words.
 */
import { homedir } from "node:os"
import { isAbsolute } from "node:path"
import * as Environment from "@zain/process/Environment"
import * as Redactor from "@zain/process/Redactor"
import type { Variables } from "../SafePath.ts"

/** A text without them. */
export type ReportRedaction = (text: string) => string

/** The value of a variable that is shorter is too likely to be a word. */
const shortest = 8

/** What servers and agents must not repeat of the host's environment. */
export const secretsOf = (env: Variables): ReadonlyArray<string> =>
  Environment.make(env, ["*"]).secrets.filter(({ length }) => length >= shortest)

/** A home that is this short is no one's. */
const shortestHome = 3

/** @param env whose home is not told */
export const make = (env: Variables): ReportRedaction => {
  const homeless = withoutHome(env)
  return (text) => homeless(Redactor.withoutLooks(text))
}

/** For command lines, which are clean of secrets by where these stand: what else they say is what will run. */
export const withoutHome = (env: Variables): ReportRedaction => {
  const homes = [env["HOME"], env["USERPROFILE"], homedir()].filter(
    (home): home is string => home !== undefined && home.length >= shortestHome && isAbsolute(home),
  )
  return (text) =>
    homes.reduce((shown, home) => shown.replaceAll(new RegExp(`${escaped(home)}(?![\\w.-])`, "g"), "~"), text)
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")

/** The same for every text in a value; `target` is a command line, or a URL without secrets. */
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
