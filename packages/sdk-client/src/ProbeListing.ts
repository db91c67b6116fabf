/**
 * A list of a server's, page by page, up to a bound.
 */
import type { McpError } from "@zain/core/McpError"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as Failure from "./Failure.ts"
import type { ProbeLane } from "./ProbeLane.ts"

/** What a server may list, and the request for it. */
export const methods = {
  tools: "tools/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
  prompts: "prompts/list",
} as const

/**
 * What has come of a list: `count` of them, of which `names` has the first thousand, of each the first 256 characters.
 * `isComplete`: whether every page has come; otherwise there are at least so many
 */
export interface Served {
  readonly _tag: "Served"
  readonly count: number
  readonly names: ReadonlyArray<string>
  readonly pages: number
  readonly isComplete: boolean
}

/**
 * What came of asking for a list.
 *
 * - `Served`: there it is
 * - `Refused`: a JSON-RPC error; -32601 says that the server has no such list
 * - `Silent`: no answer in the time that a step has
 * - `Failed`: the answer is no list, or cannot come any more
 *
 * `partial`: the pages that came before that
 */
export type Listing =
  | Served
  | { readonly _tag: "Refused"; readonly code: number; readonly message: string; readonly partial?: Served }
  | { readonly _tag: "Silent"; readonly partial?: Served }
  | { readonly _tag: "Failed"; readonly error: McpError; readonly partial?: Served }

const mostNames = 1_000
const mostPages = 100
const longestName = 256

/**
 * - `items`: receives the items of each page
 * - `came`: receives what there is after each page that is not the last
 */
export interface Listener {
  readonly items?: (items: ReadonlyArray<unknown>) => void
  readonly came?: (partial: Served) => void
}

/**
 * Asks for a list.
 *
 * @param about the server, for messages
 * @param listener receives each page
 * @returns what came of it, or why no answer can come any more
 */
export const ask = Effect.fnUntraced(function* (
  lane: ProbeLane,
  name: keyof typeof methods,
  about: () => Failure.About,
  { came, items: take }: Listener = {},
): Effect.fn.Return<Listing, McpError> {
  const names: Array<string> = []
  const seen = new Set<string>()
  let cursor: string | undefined
  let count = 0
  let before: Served | undefined
  const unfinished = (listing: Exclude<Listing, Served>): Listing =>
    before === undefined ? listing : { ...listing, partial: before }
  const malformed = (what: string) => unfinished({ _tag: "Failed", error: Failure.protocolViolation(about(), what) })

  for (let pages = 1; ; pages++) {
    const reply = yield* lane.ask(methods[name], cursor === undefined ? {} : { cursor })
    if (reply._tag === "Refused") return unfinished(reply)
    const items = isRecord(reply.result) ? reply.result[name] : undefined
    if (!isRecord(reply.result) || !Array.isArray(items)) {
      return malformed(`its answer to ${methods[name]} has no list \`${name}\``)
    }
    count += items.length
    take?.(items)
    for (const item of items.slice(0, mostNames - names.length)) names.push(nameOf(item))
    const served: Served = { _tag: "Served", count, names: [...names], pages, isComplete: false }
    const next = reply.result["nextCursor"]
    if (next === undefined || next === null) return { ...served, isComplete: true }
    before = served
    if (typeof next !== "string") return malformed("a `nextCursor` of its is no string")
    if (seen.has(next)) return malformed(`its pages of ${methods[name]} go in a circle`)
    if (pages === mostPages) return served
    came?.(served)
    seen.add(next)
    cursor = next
  }
})

/** The same, with the server's own texts cleaned. */
export const cleaned = (listing: Listing, clean: (text: string) => string): Listing => {
  if (listing._tag === "Served") return served(listing, clean)
  const partial = listing.partial === undefined ? {} : { partial: served(listing.partial, clean) }
  if (listing._tag === "Refused") return { ...listing, ...partial, message: clean(listing.message) }
  if (listing._tag === "Failed") return { ...listing, ...partial, error: Failure.redacted(listing.error, clean) }
  return { ...listing, ...partial }
}

const served = (one: Served, clean: (text: string) => string): Served => ({
  ...one,
  names: one.names.map((name) => clean(name)),
})

/** Resources have a URI, templates a pattern of one; the rest have names. */
const nameOf = (item: unknown): string => {
  if (!isRecord(item)) return "?"
  const name = item["uri"] ?? item["uriTemplate"] ?? item["name"]
  return typeof name === "string" ? name.slice(0, longestName).toWellFormed() : "?"
}
