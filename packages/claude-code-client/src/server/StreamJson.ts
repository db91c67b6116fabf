/**
 * Messages to Claude Code.
 */
import type { TurnRequest } from "@zain/agent-server/ServedAgent"
import type { ImageData } from "@zain/core/ImageData"

/**
 * A user message that starts a turn: a turn that Claude Code started itself does not accept it. The turn's messages carry the
 * id.
 *
 * @param hasCommands whether Claude Code acts on slash commands and `@file` in the prompt
 */
export const userMessage = ({ images = [], prompt }: TurnRequest, id: string, hasCommands: boolean) => ({
  type: "user",
  uuid: id,
  priority: "later",
  ...(hasCommands ? {} : { client_composed: true }),
  message: { role: "user", content: images.length === 0 ? prompt : [...images.map(imageBlock), text(prompt)] },
})

/** A further text of the user's for the running turn: the model receives it with the result of the running tool. */
export const steerMessage = (prompt: string, id: string, hasCommands: boolean) => ({
  ...userMessage({ prompt }, id, hasCommands),
  priority: "next",
})

const imageBlock = ({ base64, mediaType }: ImageData) => ({
  type: "image",
  source: { type: "base64", media_type: mediaType, data: base64 },
})

const text = (prompt: string) => ({ type: "text", text: prompt })

/** A control request. */
export const controlRequest = (requestId: string, request: object) => ({
  type: "control_request",
  request_id: requestId,
  request,
})

/** Interrupts the running turn, and removes waiting prompts. */
export const interrupt = (requestId: string) => controlRequest(requestId, { subtype: "interrupt", cancel_queued: true })

/** Withdraws a user message that waits. */
export const cancelMessage = (requestId: string, id: string) =>
  controlRequest(requestId, { subtype: "cancel_async_message", message_uuid: id })

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
