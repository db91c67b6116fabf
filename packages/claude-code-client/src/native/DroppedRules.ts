/**
 * The rules of settings files that restrict Claude Code, and which of them it drops, without a word, as malformed.
 *
 * @see Claude Code 2.1.332: measured. `sources` in its answer to `get_settings` has the rules that it kept, unchanged
 */
import { isRecord } from "@zain/process/JsonRpc"

type Members = Readonly<Record<string, unknown>>

/** A rule of a file. */
export interface Restriction {
  readonly file: string
  readonly list: "ask" | "deny"
  readonly rule: unknown
}

const lists = ["ask", "deny"] as const

const rulesOf = (settings: unknown, list: (typeof lists)[number]): ReadonlyArray<unknown> => {
  const permissions = isRecord(settings) ? settings["permissions"] : undefined
  const rules = isRecord(permissions) ? permissions[list] : undefined
  return Array.isArray(rules) ? rules : []
}

/** The restrictions in a file's settings. */
export const of = (file: string, settings: Members): ReadonlyArray<Restriction> =>
  lists.flatMap((list) => rulesOf(settings, list).map((rule) => ({ file, list, rule })))

/** The first restriction that Claude Code drops, by its answer to `get_settings`; none of an older version without `sources`. */
export const first = (restrictions: ReadonlyArray<Restriction>, held: Members): Restriction | undefined => {
  const { sources } = held
  const files = (Array.isArray(sources) ? sources : [])
    .filter(isRecord)
    .filter(({ source }) => source !== "flagSettings")
  const kept = new Set(files.flatMap(({ settings }) => lists.flatMap((list) => rulesOf(settings, list))))
  return files.length === 0 ? undefined : restrictions.find(({ rule }) => !kept.has(rule))
}
