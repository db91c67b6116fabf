/**
 * Messages to Claude Code.
 */

/**
 * A user message that starts a turn: a turn that Claude Code started itself does not accept it. The turn's messages carry the
 * id.
 *
 * @param hasCommands whether Claude Code acts on slash commands and `@file` in the prompt
 */
export const userMessage = (prompt: string, id: string, hasCommands: boolean) => ({
  type: "user",
  uuid: id,
  priority: "later",
  ...(hasCommands ? {} : { client_composed: true }),
  message: { role: "user", content: prompt },
})

/** A control request. */
export const controlRequest = (requestId: string, request: object) => ({
  type: "control_request",
  request_id: requestId,
  request,
})

/** Interrupts the running turn, and removes waiting prompts. */
export const interrupt = (requestId: string) => controlRequest(requestId, { subtype: "interrupt", cancel_queued: true })

/** Ends a sub-agent, or a command with its process group. */
export const stopTask = (requestId: string, taskId: string) =>
  controlRequest(requestId, { subtype: "stop_task", task_id: taskId })

/** The response to a control request. */
export const answer = (requestId: string, response: object) => ({
  type: "control_response",
  response: { subtype: "success", request_id: requestId, response },
})

/** The error response to a control request. */
export const refusal = (requestId: string, error: string) => ({
  type: "control_response",
  response: { subtype: "error", request_id: requestId, error },
})
