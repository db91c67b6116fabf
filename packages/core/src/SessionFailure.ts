/**
 * The errors of sessions that every implementation of the port creates with the same message.
 */
import * as Duration from "effect/Duration"
import { ConnectionUnavailable, InvalidRequest, type McpDelivery, SessionClosed, SessionNotFound } from "./McpError.ts"
import type { McpProvider } from "./McpProvider.ts"
import type { McpSessionId } from "./McpSessionId.ts"

/**
 * Makes a `SessionNotFound`, reason `unknown-session`: this client did not open the session, or does not remember it
 * any more.
 *
 * @param sessionId the unknown id; the message shows its first 64 characters
 */
export const sessionNotFound = (sessionId: McpSessionId): SessionNotFound =>
  new SessionNotFound({
    reason: "unknown-session",
    message: `This client has no session ${String(sessionId).slice(0, 64)}. Use the client whose openSession returned the id.`,
    delivery: "not-sent",
  })

const notSupported = (message: string) => new InvalidRequest({ reason: "not-supported", message, delivery: "not-sent" })

/**
 * Makes an `InvalidRequest`, reason `not-supported`: the agent takes no images.
 *
 * @param provider the agent, for the message
 * @param at the index of the first image in `attachments`
 */
export const noImages = (provider: McpProvider, at: number): InvalidRequest =>
  notSupported(
    `${provider} does not support images (\`attachments.${at}\`). Remove it, or use an adapter whose \`supports.images\` is true.`,
  )

/**
 * Makes an `InvalidRequest`, reason `not-supported`: the agent takes no options of one turn.
 *
 * @param provider the agent, for the message
 */
export const noTurnOptions = (provider: McpProvider): InvalidRequest =>
  notSupported(
    `${provider} does not support options of one turn (\`providerOptions\`). Omit them, or use an adapter whose \`supports.turnOptions\` is true.`,
  )

/**
 * Makes an `InvalidRequest`, reason `not-supported`: the agent takes no text into a turn under way.
 *
 * @param provider the agent, for the message
 */
export const noSteer = (provider: McpProvider): InvalidRequest =>
  notSupported(
    `${provider} takes no text while it works. Send it with the next \`execute\`, or use an adapter whose \`supports.steer\` is true.`,
  )

/**
 * Makes an `InvalidRequest`, reason `not-supported`: the agent has no operations on stored conversations.
 *
 * @param provider the agent, for the message
 */
export const noThreads = (provider: McpProvider): InvalidRequest =>
  notSupported(
    `${provider} does not give access to its stored conversations (\`threads\`). Use an adapter whose \`supports.threads\` is true.`,
  )

/**
 * Makes a `ConnectionUnavailable`, reason `rate-limited`, delivery `not-sent`: as many texts of `steer` wait as may wait.
 *
 * @param sessionId the session, for the message
 * @param waiting how many texts wait, for the message
 */
export const tooManySteers = (sessionId: McpSessionId, waiting: number): ConnectionUnavailable =>
  new ConnectionUnavailable({
    reason: "rate-limited",
    message: `${waiting} texts of \`steer\` wait in session ${sessionId} already. Wait until the agent has taken one, or raise \`maxWaiting\` of the connection.`,
    delivery: "not-sent",
  })

/** Makes an `InvalidRequest`, reason `no-turn`: the session has no turn under way that a text could reach. */
export const noTurn = (): InvalidRequest =>
  new InvalidRequest({
    reason: "no-turn",
    message: "No turn of the session is under way. Send the text with `execute`.",
    delivery: "not-sent",
  })

/**
 * Makes an `InvalidRequest`, reason `not-supported`: the agent's model cannot call tools of the session's own.
 *
 * @param provider the agent, for the message
 */
export const noTools = (provider: McpProvider): InvalidRequest =>
  notSupported(
    `${provider} does not support tools of the session's own (\`tools\`). Omit them, or use an adapter whose \`supports.tools\` is true.`,
  )

/**
 * Makes a `SessionClosed`, reason `closed`: the session was closed by `closeSession`, or by the end of its client.
 *
 * @param sessionId the closed session, for the message
 * @param details `delivery`, by default `not-sent`: pass `unknown` for a turn that was under way; and `threadId`, if
 *   known
 */
export const sessionClosed = (
  sessionId: McpSessionId,
  { delivery = "not-sent", threadId }: { readonly delivery?: McpDelivery; readonly threadId?: string } = {},
): SessionClosed =>
  new SessionClosed({
    reason: "closed",
    message:
      `Session ${sessionId} is closed. Open a new session` +
      (threadId === undefined
        ? "."
        : "; to continue its conversation, pass `threadId` of this error, as in local({ options: { threadId } })."),
    delivery,
    ...(threadId === undefined ? {} : { threadId }),
  })

/** `SessionClosed`, reason `closed`: the client was closed, or its Scope has ended. Delivery `not-sent`. */
export const clientClosed = (): SessionClosed =>
  new SessionClosed({
    reason: "closed",
    message: "This client is closed, and every session with it. Make a new client.",
    delivery: "not-sent",
  })

/**
 * Makes a `ConnectionUnavailable`, reason `deadline-exceeded`: the request's `deadline` passed without an answer.
 *
 * @param deadline how long the request was allowed to take, for the message
 * @param delivery `not-sent` if the turn had not begun
 */
export const deadlineExceeded = (deadline: Duration.Duration, delivery: McpDelivery): ConnectionUnavailable =>
  new ConnectionUnavailable({
    reason: "deadline-exceeded",
    message: `No answer within the deadline of ${Duration.format(deadline)}. Give the request more time, or a smaller task.`,
    delivery,
  })

/**
 * Makes a `ConnectionUnavailable`, reason `stalled`, delivery `unknown`: the agent was silent for too long.
 *
 * @param provider the silent agent, for the message
 * @param limit the `idleTimeout` of the connection, for the message
 */
export const stalled = (provider: McpProvider, limit: Duration.Duration): ConnectionUnavailable =>
  new ConnectionUnavailable({
    reason: "stalled",
    message: `${provider} sent nothing for ${Duration.format(limit)}. If the agent may work that long without output, raise \`idleTimeout\` of the connection, such as to "30 minutes". To limit the whole turn, pass a \`deadline\`: execute(session, { content, deadline: "10 minutes" }).`,
    delivery: "unknown",
  })

/**
 * Makes a `ConnectionUnavailable`, reason `rate-limited`, delivery `not-sent`: `maxWaiting` executes wait in the session
 * already.
 *
 * @param sessionId the session whose queue is full, for the message
 * @param waiting how many executes wait, for the message
 */
export const tooManyWaiting = (sessionId: McpSessionId, waiting: number): ConnectionUnavailable =>
  new ConnectionUnavailable({
    reason: "rate-limited",
    message:
      `Session ${sessionId} runs one turn at a time, and its queue of ${waiting} is full. ` +
      "Wait for answers, open another session, or raise `maxWaiting` of the connection.",
    delivery: "not-sent",
  })
