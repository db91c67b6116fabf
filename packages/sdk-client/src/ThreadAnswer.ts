/**
 * Reads the answer in the result of a tool that works in threads, such as the tools of Codex and of the agent server.
 */
import type { Answer } from "@zain/core/AgentConnection"
import type { McpError } from "@zain/core/McpError"
import type { McpUsage } from "@zain/core/McpResponse"
import * as Effect from "effect/Effect"
import type { ToolResult } from "./AgentProfile.ts"
import * as Failure from "./Failure.ts"

/**
 * Returns a reader of results that have the answer as structured content, `{ threadId, content, structured }`, as text, or
 * as both. The server's `outputSchema` is ignored: `threadId` and `content` must be strings or absent, `structured` is the
 * value of a structured answer, and other members are ignored.
 * The reader fails with `ConnectionUnavailable`, reason `protocol-violation`, for a result without an answer, and for
 * structured content of another shape, unless the result has `isError`.
 *
 * @param server the server's name in messages
 * @param usageOf reads the number of used tokens from a result's `_meta`; none by default
 * @returns the reader: it takes a `ToolResult` and returns an Effect with the `Answer`, which completes synchronously
 *
 * @example
 * ```ts
 * import * as ThreadAnswer from "@zain/sdk-client/ThreadAnswer"
 *
 * const read = ThreadAnswer.reader("Codex")
 * const answer = read({ structuredContent: { threadId: "one", content: "Done." } })
 * ```
 */
export const reader =
  (server: string, usageOf: (meta: unknown) => McpUsage | undefined = () => undefined) =>
  /** @param result the result; its first `text` block is the answer if `structuredContent` has no `content` */
  ({ _meta, content: parts, isError, structuredContent }: ToolResult): Effect.Effect<Answer, McpError> => {
    const violation = (what: string) => Effect.fail(Failure.protocolViolation({ server, delivery: "unknown" }, what))
    const { content: text, structured, threadId } = structuredContent ?? {}
    const wrong = isWrong(text) ? "content" : isWrong(threadId) ? "threadId" : undefined
    // A failure may be described in any shape.
    if (wrong !== undefined && isError !== true)
      return violation(`\`${wrong}\` in the structured content of a result is not a string`)
    const content = typeof text === "string" ? text : parts?.find(({ type }) => type === "text")?.text
    if (content === undefined) return violation("a result has neither text nor structured content")
    const usage = usageOf(_meta)
    return Effect.succeed({
      content,
      isError: isError === true,
      ...(typeof threadId === "string" ? { threadId } : {}),
      ...(usage === undefined ? {} : { usage }),
      ...(structured === undefined ? {} : { structured }),
    })
  }

const isWrong = (member: unknown): boolean => member !== undefined && typeof member !== "string"
