/**
 * Tokens of turns: read from messages, and added up.
 */
import type { McpUsage } from "./McpResponse.ts"

/** The members of `McpUsage`. */
export const names = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteInputTokens",
  "reasoningTokens",
] as const satisfies ReadonlyArray<keyof McpUsage>

/**
 * Makes a usage of counts; `undefined` if none of them is a count. A count of 0 is left out, except of all tokens read or
 * written.
 *
 * @param counts what an agent reports; members that are no whole numbers from 0 on are ignored
 */
export const read = (counts: { readonly [name in keyof McpUsage]?: unknown }): McpUsage | undefined => {
  const known = names.flatMap((name) => {
    const count = counts[name]
    const isTotal = name === "inputTokens" || name === "outputTokens"
    return Number.isSafeInteger(count) && Number(count) >= (isTotal ? 0 : 1) ? [[name, count] as const] : []
  })
  return known.length === 0 ? undefined : (Object.fromEntries(known) as McpUsage)
}

/**
 * Adds up the tokens of two parts of a turn.
 *
 * @param one the tokens of one part
 * @param other the tokens of the other
 */
export const sum = (one: McpUsage, other: McpUsage): McpUsage =>
  Object.fromEntries(
    names.flatMap((name) =>
      one[name] === undefined && other[name] === undefined ? [] : [[name, (one[name] ?? 0) + (other[name] ?? 0)]],
    ),
  )
