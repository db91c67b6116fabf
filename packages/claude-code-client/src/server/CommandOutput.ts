/**
 * What a running command prints. Claude Code does not send it, so it is asked for.
 *
 * @see Claude Code 2.1.332: measured. It tells of a command 3 s after its start; `get_task_output` has the last 8 KiB, and how
 *   many bytes there are in all
 */
import type { AgentMessage } from "@zain/agent-server/AgentChannel"
import type { AgentError } from "@zain/agent-server/AgentError"
import { countOf, type JsonObject, recordOf, textOf } from "@zain/agent-server/JsonMember"
import { maxOutputLength } from "@zain/command/Clip"
import type { McpEventContent } from "@zain/core/McpEvents"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** How often it is asked for. */
const pause = Duration.seconds(1)

/** The command that a message tells of: its task, and the call of its tool. */
export const begun = (message: AgentMessage): { readonly taskId: string; readonly toolId: string } | undefined => {
  if (message["subtype"] !== "task_started" || message["task_type"] !== "local_bash") return undefined
  const [taskId, toolId] = [textOf(message, "task_id"), textOf(message, "tool_use_id")]
  return taskId === undefined || toolId === undefined ? undefined : { taskId, toolId }
}

/** The task whose end a message tells of. */
export const ended = (message: AgentMessage): string | undefined =>
  message["subtype"] === "task_notification" ? textOf(message, "task_id") : undefined

/** Emits what a command prints, until it is interrupted, or Claude Code does not know the command. */
export const follow = Effect.fnUntraced(function* (
  { taskId, toolId }: { readonly taskId: string; readonly toolId: string },
  ask: (request: object) => Effect.Effect<JsonObject, AgentError>,
  emit: (event: McpEventContent) => void,
) {
  for (let seen = 0; ; ) {
    const answer = yield* Effect.orElseSucceed(
      ask({ subtype: "get_task_output", task_id: taskId }),
      (): JsonObject => ({}),
    )
    const response = recordOf(answer, "response")
    const output = textOf(response, "output")
    if (output === undefined) return
    const total = countOf(response, "total_bytes")
    const bytes = Buffer.from(output)
    const text = bytes.subarray(Math.max(0, bytes.length - (total - seen))).toString()
    // A character that was cut comes again as a mark.
    const whole = text
      .replace(/^\uFFFD{1,3}/, "")
      .slice(-maxOutputLength)
      .toWellFormed()
    if (total > seen && whole !== "") emit({ _tag: "CommandOutput", toolId, text: whole })
    seen = Math.max(seen, total)
    yield* Effect.sleep(pause)
  }
})
