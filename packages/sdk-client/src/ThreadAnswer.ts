/**
 * The answer in the result of a tool that works in threads: Codex's own, and what follows it.
 */
import type { Answer } from "@zain/core/AgentConnection"
import type { McpError } from "@zain/core/McpError"
import type { McpUsage } from "@zain/core/McpResponse"
import * as Effect from "effect/Effect"
import type { ToolResult } from "./AgentProfile.ts"
import * as Failure from "./Failure.ts"

/**
 * Reads results that hold the answer as structured content, `{ threadId, content }`, or as text, or as both. Structured
 * content is judged by this shape alone, never by the server's `outputSchema`: each member is a string or absent, and other
 * members are ignored.
 *
 * @param server what messages call the server
 * @param usageOf the tokens that a result's `_meta` tells of; none by default
 * @returns the answer at once, or `ConnectionUnavailable`, reason `protocol-violation`, for a result without any, and for
 *   one without `isError` whose structured content has another shape
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
  ({ _meta, content: parts, isError, structuredContent }: ToolResult): Effect.Effect<Answer, McpError> => {
    const violation = (what: string) => Effect.fail(Failure.protocolViolation({ server, delivery: "unknown" }, what))
    const { content: structured, threadId } = structuredContent ?? {}
    const wrong = isWrong(structured) ? "content" : isWrong(threadId) ? "threadId" : undefined
    // A failure may be described in any shape.
    if (wrong !== undefined && isError !== true)
      return violation(`\`${wrong}\` in the structured content of a result is not a string`)
    const content = typeof structured === "string" ? structured : parts?.find(({ type }) => type === "text")?.text
    if (content === undefined) return violation("a result holds neither text nor structure")
    const usage = usageOf(_meta)
    return Effect.succeed({
      content,
      isError: isError === true,
      ...(typeof threadId === "string" ? { threadId } : {}),
      ...(usage === undefined ? {} : { usage }),
    })
  }

const isWrong = (member: unknown): boolean => member !== undefined && typeof member !== "string"
