/**
 * The tokens of a turn. Codex counts those of the whole thread, and those of the last request to its model.
 */
import type { McpUsage } from "@zain/core/McpResponse"
import { isRecord } from "@zain/sdk-client/JsonRpc"

/** More threads at once are forgotten, the oldest first; their turn is counted from there. */
const mostThreads = 1_024

/** What a thread had used before a turn began. */
interface Before {
  readonly turn: string
  readonly input: number
  readonly output: number
}

/**
 * @returns reads the `info` of a `token_count`: what the turn has used so far, or `undefined` when that says nothing
 */
export const makeReader = () => {
  const threads = new Map<string, Before>()
  return (thread: string, turn: string, info: unknown): McpUsage | undefined => {
    const total = isRecord(info) ? tokens(info["total_token_usage"]) : undefined
    if (total === undefined || !isRecord(info)) return undefined
    const known = threads.get(thread)
    const last = tokens(info["last_token_usage"]) ?? total
    const before =
      known?.turn === turn ? known : { turn, input: total.input - last.input, output: total.output - last.output }
    if (before !== known) {
      threads.delete(thread)
      threads.set(thread, before)
      const [oldest] = threads.keys()
      if (threads.size > mostThreads && oldest !== undefined) threads.delete(oldest)
    }
    return { inputTokens: total.input - before.input, outputTokens: total.output - before.output }
  }
}

const tokens = (value: unknown): { readonly input: number; readonly output: number } | undefined => {
  if (!isRecord(value)) return undefined
  const { input_tokens: input, output_tokens: output } = value
  return Number.isSafeInteger(input) && Number.isSafeInteger(output)
    ? { input: Number(input), output: Number(output) }
    : undefined
}
