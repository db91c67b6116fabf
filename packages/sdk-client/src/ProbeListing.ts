/**
 * Requests a list of a server page by page, up to a bound.
 */
import type { McpError } from "@zain/core/McpError"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as Failure from "./Failure.ts"
import type { ProbeLane } from "./ProbeLane.ts"

/** The lists of MCP, and the method that requests each. */
export const methods = {
  /** The tools that the server executes with `tools/call`. */
  tools: "tools/list",
  /** The list of resources with fixed URIs. */
  resources: "resources/list",
  /** The URI templates of resources, such as `file:///{path}`. */
  resourceTemplates: "resources/templates/list",
  /** The prompt templates that the server offers, read with `prompts/get`. */
  prompts: "prompts/list",
} as const

/** The items of a list that the server sent. */
export interface Served {
  /** Marks a list that was received, in whole or in part. */
  readonly _tag: "Served"
  /** How many items were received, on all pages together. */
  readonly count: number
  /** The names of the first 1,000 items, the first 256 characters of each; the URI or URI template of a resource. */
  readonly names: ReadonlyArray<string>
  /** How many pages were received, at most 100. */
  readonly pages: number
  /** True if the last page was received; otherwise the list has at least `count` items. */
  readonly isComplete: boolean
}

/** The outcome of requesting a list. */
export type Listing =
  | Served
  | {
      /** The server answered with a JSON-RPC error. */
      readonly _tag: "Refused"
      /** The code of the error; -32601 means that the server has no such list. */
      readonly code: number
      /** The server's message, secrets redacted. */
      readonly message: string
      /** The pages that were received before, as one list; absent if there were none. */
      readonly partial?: Served
    }
  | {
      /** The list did not arrive within `connectTimeout` of the configuration. */
      readonly _tag: "Silent"
      /** The pages that were received before, as one list; absent if there were none. */
      readonly partial?: Served
    }
  | {
      /** The answer was not a list, or the connection ended. */
      readonly _tag: "Failed"
      /** The failure: reason `protocol-violation` if the answer was not a list, else the error of the connection. */
      readonly error: McpError
      /** The pages that were received before, as one list; absent if there were none. */
      readonly partial?: Served
    }

const maxNames = 1_000
const maxPages = 100
const maxNameLength = 256

/** Receives the pages of a list. */
export interface Listener {
  /** Receives the items of each page. */
  readonly items?: (items: ReadonlyArray<unknown>) => void
  /** Receives the list so far, after each page that is not the last. */
  readonly came?: (partial: Served) => void
}

/**
 * Requests a list.
 *
 * @param about the server, for messages
 * @param listener receives each page
 * @returns the outcome; fails when the wire ends
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
    for (const item of items.slice(0, maxNames - names.length)) names.push(nameOf(item))
    const served: Served = { _tag: "Served", count, names: [...names], pages, isComplete: false }
    const next = reply.result["nextCursor"]
    if (next === undefined || next === null) return { ...served, isComplete: true }
    before = served
    if (typeof next !== "string") return malformed("a `nextCursor` is not a string")
    if (seen.has(next)) return malformed(`its answers to ${methods[name]} repeat a \`nextCursor\``)
    if (pages === maxPages) return served
    came?.(served)
    seen.add(next)
    cursor = next
  }
})

/** Returns the listing with the secrets in the server's texts redacted. */
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

/** The URI of a resource, the pattern of a template, or the name of any other item. */
const nameOf = (item: unknown): string => {
  if (!isRecord(item)) return "?"
  const name = item["uri"] ?? item["uriTemplate"] ?? item["name"]
  return typeof name === "string" ? name.slice(0, maxNameLength).toWellFormed() : "?"
}
