/**
 * The tokens of a turn and of its sub-agents: for each thread, the increase of its count since its first report.
 *
 * @see Codex 0.171 app-server: measured. The count of a sub-agent's thread starts at 0, also where it inherits messages
 */
import { countOf, type JsonObject, recordOf, textOf } from "@zain/agent-server/JsonMember"
import type { McpContext, McpUsage } from "@zain/core/McpResponse"
import * as TokenUsage from "@zain/core/TokenUsage"

/** Codex's names of the counts. */
const theirs = {
  inputTokens: "inputTokens",
  outputTokens: "outputTokens",
  cachedInputTokens: "cachedInputTokens",
  cacheWriteInputTokens: "cacheWriteInputTokens",
  reasoningTokens: "reasoningOutputTokens",
} as const satisfies Record<keyof McpUsage, string>

type Tokens = Readonly<Record<keyof McpUsage, number>>

/** The tokens of one turn. */
export interface CodexTokens {
  /** Reads a `thread/tokenUsage/updated`, and returns the tokens of the turn so far. */
  readonly counted: (params: JsonObject) => McpUsage
  /** The tokens so far; `undefined` before the first report. */
  readonly total: () => McpUsage | undefined
  /** How full the context of the turn's own thread is; `undefined` if Codex does not know its size. */
  readonly context: () => McpContext | undefined
}

/** @param ownThread the thread of the turn */
export const make = (ownThread: string): CodexTokens => {
  /** The counts of each thread: before the turn, and now. */
  const threads = new Map<string, readonly [before: Tokens, now: Tokens]>()
  let context: McpContext | undefined
  const total = (): McpUsage => {
    const grown = (name: keyof McpUsage) =>
      [...threads.values()].reduce((all, [before, now]) => all + Math.max(0, now[name] - before[name]), 0)
    return TokenUsage.read(each(grown)) ?? {}
  }
  return {
    counted: (params) => {
      const threadId = textOf(params, "threadId") ?? ownThread
      const usage = recordOf(params, "tokenUsage")
      const [now, last] = [tokensOf(recordOf(usage, "total")), tokensOf(recordOf(usage, "last"))]
      const [before] = threads.get(threadId) ?? [each((name) => now[name] - last[name])]
      threads.set(threadId, [before, now])
      const size = countOf(usage, "modelContextWindow")
      if (threadId === ownThread && size > 0) context = { used: last.inputTokens + last.outputTokens, size }
      return total()
    },
    total: () => (threads.size === 0 ? undefined : total()),
    context: () => context,
  }
}

const each = (count: (name: keyof McpUsage) => number): Tokens =>
  Object.fromEntries(TokenUsage.names.map((name) => [name, count(name)])) as Record<keyof McpUsage, number>

const tokensOf = (record: JsonObject): Tokens => each((name) => countOf(record, theirs[name]))
