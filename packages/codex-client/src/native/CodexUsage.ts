/**
 * The tokens of a turn. Codex counts those of the whole thread, and those of the last request to its model. A reader that
 * comes in the middle of a turn sees what was used since. Where Codex counts the thread anew, as it does when the context
 * window is exceeded, so does this.
 */
import type { McpUsage } from "@zain/core/McpResponse"
import { isRecord } from "@zain/process/JsonRpc"

/** More threads at once are forgotten, the oldest first; their turn is counted from there. */
const mostThreads = 1_024

interface Tokens {
  readonly input: number
  readonly output: number
}

/** What a thread had used before a turn began, and when it was last heard of. */
interface Count {
  readonly turn: string
  readonly before: Tokens
  readonly latest: Tokens
}

/**
 * @returns reads the `info` of a `token_count`: what the turn has used so far, or `undefined` when that says nothing
 */
export const makeReader = () => {
  const threads = new Map<string, Count>()
  return (thread: string, turn: string, info: unknown): McpUsage | undefined => {
    const total = isRecord(info) ? tokens(info["total_token_usage"]) : undefined
    if (total === undefined || !isRecord(info)) return undefined
    const known = threads.get(thread)
    const before = known?.turn === turn ? known.before : minus(total, tokens(info["last_token_usage"]) ?? total)
    threads.delete(thread)
    if (isBelow(before, zero) || (known !== undefined && isBelow(total, known.latest))) return undefined
    threads.set(thread, { turn, before, latest: total })
    const [oldest] = threads.keys()
    if (threads.size > mostThreads && oldest !== undefined) threads.delete(oldest)
    const { input, output } = minus(total, before)
    return { inputTokens: input, outputTokens: output }
  }
}

const zero: Tokens = { input: 0, output: 0 }

const minus = (left: Tokens, right: Tokens): Tokens => ({
  input: left.input - right.input,
  output: left.output - right.output,
})

const isBelow = (left: Tokens, right: Tokens): boolean => left.input < right.input || left.output < right.output

const tokens = (value: unknown): Tokens | undefined => {
  if (!isRecord(value)) return undefined
  const { input_tokens: input, output_tokens: output } = value
  return Number.isSafeInteger(input) && Number.isSafeInteger(output)
    ? { input: Number(input), output: Number(output) }
    : undefined
}
