/**
 * A list of a server's, page by page, up to a bound.
 */
import type { McpError } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import * as Failure from "./Failure.ts"
import { isRecord } from "./JsonRpc.ts"
import type { ProbeLane } from "./ProbeLane.ts"

/** What a server may list, and the request for it. */
export const methods = {
  tools: "tools/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
  prompts: "prompts/list",
} as const

/**
 * What came of asking for a list.
 *
 * - `Served`: `count` of them, of which `names` has the first thousand, of each the first 256 characters. `isComplete`:
 *   whether every page was asked for
 * - `Refused`: a JSON-RPC error; -32601 says that the server has no such list
 * - `Silent`: no answer in the time that a step has
 * - `Failed`: the answer is no list, or cannot come any more
 */
export type Listing =
  | {
      readonly _tag: "Served"
      readonly count: number
      readonly names: ReadonlyArray<string>
      readonly pages: number
      readonly isComplete: boolean
    }
  | { readonly _tag: "Refused"; readonly code: number; readonly message: string }
  | { readonly _tag: "Silent" }
  | { readonly _tag: "Failed"; readonly error: McpError }

const mostNames = 1_000
const mostPages = 100
const longestName = 256

/**
 * Asks for a list.
 *
 * @param about the server, for messages
 * @returns what came of it, or why no answer can come any more
 */
export const ask = Effect.fnUntraced(function* (
  lane: ProbeLane,
  name: keyof typeof methods,
  about: () => Failure.About,
): Effect.fn.Return<Listing, McpError> {
  const names: Array<string> = []
  const seen = new Set<string>()
  let cursor: string | undefined
  let count = 0
  for (let pages = 1; ; pages++) {
    const reply = yield* lane.ask(methods[name], cursor === undefined ? {} : { cursor })
    if (reply._tag === "Refused") return reply
    const items = isRecord(reply.result) ? reply.result[name] : undefined
    if (!isRecord(reply.result) || !Array.isArray(items)) {
      return malformed(about(), `its answer to ${methods[name]} has no list \`${name}\``)
    }
    count += items.length
    for (const item of items.slice(0, mostNames - names.length)) names.push(nameOf(item))
    const next = reply.result["nextCursor"]
    if (next === undefined || next === null) return { _tag: "Served", count, names, pages, isComplete: true }
    if (typeof next !== "string") return malformed(about(), "a `nextCursor` of its is no string")
    if (seen.has(next)) return malformed(about(), `its pages of ${methods[name]} go in a circle`)
    if (pages === mostPages) return { _tag: "Served", count, names, pages, isComplete: false }
    seen.add(next)
    cursor = next
  }
})

const malformed = (about: Failure.About, what: string): Listing => ({
  _tag: "Failed",
  error: Failure.protocolViolation(about, what),
})

/** Resources have a URI, templates a pattern of one; the rest have names. */
const nameOf = (item: unknown): string => {
  if (!isRecord(item)) return "?"
  const name = item["uri"] ?? item["uriTemplate"] ?? item["name"]
  return typeof name === "string" ? name.slice(0, longestName).toWellFormed() : "?"
}
