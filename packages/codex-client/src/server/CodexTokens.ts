/**
 * The tokens of a turn and of its sub-agents: for each thread, the increase of its count since its first report.
 *
 * @see Codex 0.171 app-server: measured. The count of a sub-agent's thread starts at 0, also where it inherits messages
 */
import { recordOf, textOf } from "@zain/agent-server/JsonMember"
import type { McpUsage } from "@zain/core/McpResponse"

type Params = Readonly<Record<string, unknown>>

interface Tokens {
  readonly input: number
  readonly output: number
}

/** The tokens of one turn. */
export interface CodexTokens {
  /** Reads a `thread/tokenUsage/updated`, and returns the tokens of the turn so far. */
  readonly counted: (params: Params) => McpUsage
  /** The tokens so far; `undefined` before the first report. */
  readonly total: () => McpUsage | undefined
}

export const make = (): CodexTokens => {
  /** The counts of each thread: before the turn, and now. */
  const threads = new Map<string, readonly [before: Tokens, now: Tokens]>()
  const total = (): McpUsage => {
    const sum = (key: keyof Tokens) =>
      [...threads.values()].reduce((all, [before, now]) => all + Math.max(0, now[key] - before[key]), 0)
    return { inputTokens: sum("input"), outputTokens: sum("output") }
  }
  return {
    counted: (params) => {
      const threadId = textOf(params, "threadId") ?? ""
      const usage = recordOf(params, "tokenUsage")
      const [now, last] = [tokensOf(recordOf(usage, "total")), tokensOf(recordOf(usage, "last"))]
      const [before] = threads.get(threadId) ?? [{ input: now.input - last.input, output: now.output - last.output }]
      threads.set(threadId, [before, now])
      return total()
    },
    total: () => (threads.size === 0 ? undefined : total()),
  }
}

const tokensOf = (record: Params): Tokens => ({
  input: countOf(record["inputTokens"]),
  output: countOf(record["outputTokens"]),
})

const countOf = (value: unknown): number => (Number.isSafeInteger(value) ? (value as number) : 0)
