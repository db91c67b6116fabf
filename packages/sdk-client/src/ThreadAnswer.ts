/**
 * The answer in the result of a tool that works in threads: Codex's own, and what follows it.
 */
import type { McpError } from "@zain/core/McpError"
import type { McpUsage } from "@zain/core/McpResponse"
import type { Answer } from "@zain/core/McpSessionRuntime"
import * as Effect from "effect/Effect"
import type { ToolResult } from "./AgentProfile.ts"
import * as Failure from "./Failure.ts"

/**
 * Reads results that hold the answer as structured content, `{ threadId, content }`, or as text, or as both.
 *
 * @param server what messages call the server
 * @param usageOf the tokens that a result's `_meta` tells of; none by default
 * @returns the answer at once, or `ConnectionUnavailable`, reason `protocol-violation`, for a result without any
 *
 * **Example**
 *
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
    const { content: structured, threadId } = structuredContent ?? {}
    const content = typeof structured === "string" ? structured : parts?.find(({ type }) => type === "text")?.text
    if (content === undefined) {
      return Effect.fail(
        Failure.protocolViolation({ server, delivery: "unknown" }, "a result holds neither text nor structure"),
      )
    }
    const usage = usageOf(_meta)
    return Effect.succeed({
      content,
      isError: isError === true,
      ...(typeof threadId === "string" ? { threadId } : {}),
      ...(usage === undefined ? {} : { usage }),
    })
  }
