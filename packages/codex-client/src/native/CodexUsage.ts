/**
 * The tokens of a turn. Codex counts those of the whole thread, and of the last request to its model. A reader that starts
 * during a turn counts from there. When Codex resets its count, as it does when the context window is exceeded, so does the
 * reader.
 */
import type { McpUsage } from "@zain/core/McpResponse"
import { isRecord } from "@zain/process/JsonRpc"

/** Limit of threads; the oldest is removed first, and its turn is then counted from its next event. */
const maxThreads = 1_024

interface Tokens {
  readonly input: number
  readonly output: number
}

/** The tokens of a thread before its turn, and at its last event. */
interface Count {
  readonly turn: string
  readonly before: Tokens
  readonly latest: Tokens
}

/**
 * @returns a reader of the `info` of a `token_count`: the tokens of the turn so far, or `undefined` when `info` has none
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
    if (threads.size > maxThreads && oldest !== undefined) threads.delete(oldest)
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
