/**
 * How MCP clients differ in what they do with a list of tools, as a table.
 */

import { clip, maxEchoLength } from "@zain/command/Clip"
import type * as OptionValue from "@zain/command/OptionValue"
import * as Result from "effect/Result"

/** A row of the table. */
export interface ClientRule {
  /** A lower-case part of the `clientInfo.name` that the client sends in `initialize`. */
  readonly name: string
  /** The versions of the rule: `from` inclusive, `below` exclusive. Every version if omitted. */
  readonly versions?: { readonly from?: string; readonly below?: string }
  /** Whether the client sends `tools/list` again after `notifications/tools/list_changed`. */
  readonly asksAgain: boolean
  /** How many tools the client accepts; unlimited if omitted. */
  readonly maxTools?: number
  /** Whether the client of exactly this name shows tools whose names have dots, and calls them. */
  readonly takesDots?: boolean
  /** Whether the client's model receives `structuredContent` in place of pictures beside it. */
  readonly dropsPictures?: boolean
}

/** The known behaviour of a client. */
export interface Traits {
  /** Whether the client sends `tools/list` again after `notifications/tools/list_changed`. */
  readonly asksAgain: boolean
  /** How many tools the client accepts; `undefined` if unlimited. */
  readonly maxTools: number | undefined
  /** Whether the client's model receives `structuredContent` in place of pictures beside it. */
  readonly dropsPictures: boolean
}

/** The known clients. The first rule that matches decides. */
export const rules: ReadonlyArray<ClientRule> = [
  // Loads the definitions of tools when the model searches for them, so it has no limit.
  { name: "claude-code", versions: { from: "2.1.329" }, asksAgain: true, takesDots: true },
  { name: "claude-code", asksAgain: false, dropsPictures: true },
  { name: "claude", asksAgain: false },
  { name: "gemini", asksAgain: false },
  { name: "windsurf", asksAgain: false, maxTools: 100 },
  { name: "codeium", asksAgain: false },
  // Codex 0.73 sent the dots to its model's API, which rejected the request.
  { name: "codex-mcp-client", versions: { from: "0.169" }, asksAgain: false, takesDots: true, dropsPictures: true },
  { name: "codex", asksAgain: false, dropsPictures: true },
  { name: "cursor", asksAgain: true, maxTools: 40 },
  { name: "visual studio code", asksAgain: true, maxTools: 128 },
  { name: "antigravity", asksAgain: true, maxTools: 100 },
]

/**
 * Returns the behaviour of a client. A client that no rule matches asks again and has no limit.
 *
 * Versions compare by their numbers, part by part; a missing part is 0. A pre-release (`2.0.0-beta.1`) comes before its
 * release and is otherwise not ordered. What follows the numbers (`+build`, ` (Claude Code)`, `.x`) is ignored. A rule
 * with `versions` does not match a client whose version is missing or does not begin with a number. Of a name the first
 * 256 characters count, of a version the first 64.
 *
 * @param clientInfo as the client sent it in `initialize`
 * @param given rules that go before the table, such as those of `--client-rule`
 */
export const traitsOf = (
  clientInfo: { readonly name: string; readonly version?: string },
  given: ReadonlyArray<ClientRule> = [],
): Traits => {
  const name = clientInfo.name.slice(0, maxNameLength).toLowerCase()
  const version = numbers(clientInfo.version)
  const isFor = (rule: ClientRule) => name.includes(rule.name) && isWithin(version, rule.versions)
  const rule = given.find(isFor) ?? rules.find(isFor)
  return { asksAgain: rule?.asksAgain ?? true, maxTools: rule?.maxTools, dropsPictures: rule?.dropsPictures ?? false }
}

/**
 * The names that all known clients and models' APIs accept. Claude Desktop and OpenAI's API reject a whole list with
 * another one; MCP also allows dots and 128 characters.
 */
export const acceptedName = /^[a-zA-Z0-9_-]{1,64}$/

/** Who rejects other names. */
export const rejecting: ReadonlyArray<string> = ["Claude Desktop", "OpenAI's API"]

/** Whether a client was seen to show and to call tools whose names have dots. The name must be the whole name of a rule. */
export const takesDots = ({ name, version }: { readonly name: string; readonly version?: string }): boolean =>
  rules.some((rule) => rule.takesDots === true && rule.name === name && isWithin(numbers(version), rule.versions))

/**
 * Reads the value of `--client-rule`: `NAME=TRAITS` or `NAME@VERSIONS=TRAITS`. `TRAITS` is one or more of `refetches`,
 * `no-refetch` and `max-tools=NUMBER`, separated by commas; `VERSIONS` is `>=1.2`, `<2` or `>=1.2<2`. A trait that is
 * left out is the one that the table has for this name.
 */
export const parse: OptionValue.Reader<ClientRule> = (option, given) =>
  Result.mapError(read(given), (what) => `${option}: ${what}; expected a rule such as '${example}'.`)

const example = "cursor@>=1.2=refetches,max-tools=100"

const maxNameLength = 256
const maxVersionLength = 64

/** The name, the range after `@` with its sign, and the traits. */
const form = /^([^=<>]+?)(?:@([<>]=?[^=]*))?=(.+)$/s
const rangeForm = /^(?:>=(\d{1,9}(?:\.\d{1,9}){0,5}))?(?:<(\d{1,9}(?:\.\d{1,9}){0,5}))?$/

const read = (given: string): Result.Result<ClientRule, string> =>
  Result.gen(function* () {
    const [, text = "", range, traits] = form.exec(given) ?? []
    const name = text.trim().toLowerCase()
    if (traits === undefined || name === "") return yield* Result.fail(`${echo(given)} is not NAME=TRAITS`)
    if (name.length > maxNameLength) {
      return yield* Result.fail(`${echo(name)} is longer than ${maxNameLength} characters`)
    }
    if (/@v?[\d.]*$/.test(name)) return yield* notRange(name.slice(name.lastIndexOf("@") + 1))
    const versions = range === undefined ? undefined : yield* readRange(range)
    const usual = traitsOf({ name, ...(versions?.from === undefined ? {} : { version: versions.from }) })
    const { asksAgain = usual.asksAgain, maxTools = usual.maxTools } = yield* readTraits(traits)
    return {
      name,
      ...(versions === undefined ? {} : { versions }),
      asksAgain,
      ...(maxTools === undefined ? {} : { maxTools }),
      ...(usual.dropsPictures ? { dropsPictures: true } : {}),
    }
  })

const readRange = (text: string): Result.Result<NonNullable<ClientRule["versions"]>, string> => {
  const [found, from, below] = rangeForm.exec(text) ?? []
  if (found === undefined) return notRange(text)
  const [first, end] = [numbers(from), numbers(below)]
  if (first !== undefined && end !== undefined && compare(first, end) >= 0) {
    return Result.fail(`no version is in the range ${echo(text)}`)
  }
  return Result.succeed({ ...(from === undefined ? {} : { from }), ...(below === undefined ? {} : { below }) })
}

const readTraits = (text: string): Result.Result<Partial<Traits>, string> => {
  const traits: Record<string, unknown> = {}
  for (const trait of text.split(",").map((one) => one.trim())) {
    const [, count = "0"] = /^max-tools=(\d{1,6})$/.exec(trait) ?? []
    const isRefetch = trait === "refetches"
    if (!isRefetch && trait !== "no-refetch" && Number(count) === 0) {
      return Result.fail(`the trait ${echo(trait)} is not refetches, no-refetch or max-tools=NUMBER`)
    }
    const [key, value] = Number(count) > 0 ? ["maxTools", Number(count)] : ["asksAgain", isRefetch]
    if (key in traits) return Result.fail(`the trait ${echo(trait)} repeats or contradicts another`)
    traits[key] = value
  }
  return Result.succeed(traits)
}

const notRange = (text: string) =>
  Result.fail(`${echo(text)} is not a range of versions, which is >=1.2, <2 or >=1.2<2`)

const echo = (text: string): string => JSON.stringify(clip(text, maxEchoLength))

/** `parts`: the numbers of a version. */
interface Numbers {
  readonly parts: ReadonlyArray<number>
  readonly isPreRelease: boolean
}

const numbers = (version = ""): Numbers | undefined => {
  const [, parts, dash] = /^v?(\d+(?:\.\d+)*)(-)?/.exec(version.slice(0, maxVersionLength)) ?? []
  return parts === undefined ? undefined : { parts: parts.split(".").map(Number), isPreRelease: dash !== undefined }
}

/** Below zero, zero or above, as for sorting. */
const compare = (one: Numbers, other: Numbers): number => {
  for (let at = 0; at < Math.max(one.parts.length, other.parts.length); at++) {
    const difference = (one.parts[at] ?? 0) - (other.parts[at] ?? 0)
    if (difference !== 0) return difference
  }
  return Number(other.isPreRelease) - Number(one.isPreRelease)
}

const isWithin = (version: Numbers | undefined, versions: ClientRule["versions"]): boolean => {
  if (versions === undefined) return true
  if (version === undefined) return false
  const [from, below] = [numbers(versions.from), numbers(versions.below)]
  return (from === undefined || compare(version, from) >= 0) && (below === undefined || compare(version, below) < 0)
}
