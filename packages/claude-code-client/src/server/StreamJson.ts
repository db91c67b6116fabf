/**
 * What Claude Code is told.
 */

/**
 * A user's message, which begins a turn of its own: one that Claude Code has begun by itself does not take it in. What
 * Claude Code says of the turn carries the id.
 *
 * @param hasCommands whether Claude Code acts on slash commands, and on `@file`, in it
 */
export const userMessage = (prompt: string, id: string, hasCommands: boolean) => ({
  type: "user",
  uuid: id,
  priority: "later",
  ...(hasCommands ? {} : { client_composed: true }),
  message: { role: "user", content: prompt },
})

/** Asks Claude Code itself for something. */
export const controlRequest = (requestId: string, request: object) => ({
  type: "control_request",
  request_id: requestId,
  request,
})

/** Asks for the end of the turn under way, and of prompts that wait for theirs. */
export const interrupt = (requestId: string) => controlRequest(requestId, { subtype: "interrupt", cancel_queued: true })

/** The answer to a request. */
export const answer = (requestId: string, response: object) => ({
  type: "control_response",
  response: { subtype: "success", request_id: requestId, response },
})

/** The answer to a request that cannot be served. */
export const refusal = (requestId: string, error: string) => ({
  type: "control_response",
  response: { subtype: "error", request_id: requestId, error },
})
