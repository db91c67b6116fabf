/**
 * The errors of a runner that are no agent's.
 */
import type { LedgerError } from "@zain/cluster-client/Ledger"
import { ConnectionUnavailable, clip, type McpDelivery, type McpError, SessionClosed } from "@zain/core/McpError"

/** The ledger could not answer, so that nothing was sent to the agent. */
export const unavailable = ({ message }: LedgerError): McpError =>
  new ConnectionUnavailable({
    reason: "server-error",
    message: clip(`The runner cannot use its ledger: ${message}`),
    delivery: "not-sent",
  })

const lost = (message: string, delivery: McpDelivery): McpError =>
  new ConnectionUnavailable({ reason: "connection-lost", message, delivery })

/** A turn of this key has begun, and its end is not known. */
export const begun = (): McpError =>
  lost(
    "The turn has begun, and the runner that began it has lost its caller, or is gone. Its answer is not known.",
    "unknown",
  )

/** The turn has ended, and its answer is not kept any more. */
export const forgotten = (): McpError => lost("The turn has ended, and its answer is not kept any more.", "unknown")

/** The caller has withdrawn the turn before it began. */
export const withdrawn = (): McpError => lost("The turn was withdrawn before it began. Send it again.", "not-sent")

/** Another runner has taken the session over. */
export const stale = (): McpError => lost("Another runner has taken the session over. Send the turn again.", "not-sent")

/** The caller cancelled the turn, or was lost, before the answer. */
export const interrupted = (): McpError => lost("The turn was cancelled, or its caller was lost.", "unknown")

/** The runner that held the conversation is gone, and the agent had not named it. */
export const conversationLost = (): McpError =>
  new SessionClosed({
    reason: "conversation-lost",
    message:
      "The runner that held the conversation is gone, and the agent had not named its thread. Open a new session.",
    delivery: "not-sent",
  })

/** The answer exceeds what crosses to the caller. */
export const tooLarge = (bytes: number, maxBytes: number): McpError =>
  new ConnectionUnavailable({
    reason: "message-too-large",
    message: `The answer has ${bytes} bytes, and ${maxBytes} cross from a runner to its caller. Ask for less, or for a file.`,
    delivery: "unknown",
  })
