/**
 * Tools of a client's own as Codex's dynamic tools, which a thread has from its start on.
 *
 * @see Codex 0.171 app-server: measured. A resume and a fork offer the tools of the start, and ignore others
 */
import { AgentError } from "@zain/agent-server/AgentError"
import * as ClientTools from "@zain/agent-server/ClientTools"
import type { JsonObject } from "@zain/agent-server/JsonMember"
import type { ToolAnswer } from "@zain/core/AgentConnection"
import * as Effect from "effect/Effect"

/** The request by which Codex calls one. */
export const method = "item/tool/call"

/** Parameters of `thread/start`. Outside of a namespace, a tool with a name of Codex's own, such as `exec_command`, is never called. */
export const ofStart = (tools: ClientTools.Tools): JsonObject =>
  tools.length === 0
    ? {}
    : { dynamicTools: [{ ...namespace, tools: tools.map((tool) => ({ type: "function", ...tool })) }] }

const namespace = { type: "namespace", name: "zain", description: "Tools of the program that runs this session." }

/** The response to a call. */
export const result = ({ isError, text }: ToolAnswer): JsonObject => ({
  contentItems: [{ type: "inputText", text }],
  success: !isError,
})

/**
 * Fails with `option-refused` where a turn has other tools than its thread.
 *
 * @param before the tools of the thread's start
 */
export const require = (
  before: ClientTools.Kept | undefined,
  tools: ClientTools.Tools,
): Effect.Effect<void, AgentError> => {
  const difference = ClientTools.difference(before ?? [], ClientTools.kept(tools))
  if (difference === undefined) return Effect.void
  const message = `\`tools\` cannot change in a thread of Codex: ${difference}. Open the session with the tools that its conversation began with, or start a new conversation.`
  return Effect.fail(new AgentError({ reason: "option-refused", message }))
}
