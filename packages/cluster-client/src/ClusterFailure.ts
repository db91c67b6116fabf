/**
 * The errors of a caller that its runner did not send.
 */
import { ConnectionUnavailable, clip, isMcpError, type McpDelivery, type McpError } from "@zain/core/McpError"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"

/**
 * The error in a cause: a runner's, or `rate-limited` where a runner is full; `undefined` for an interruption, a defect, and no
 * cause.
 */
export const read = (cause: Cause.Cause<unknown> | undefined): McpError | undefined => {
  const failure = cause?.reasons.find(({ _tag }) => _tag === "Fail") as { readonly error: unknown } | undefined
  if (isMcpError(failure?.error)) return failure.error
  const tag = (failure?.error as { readonly _tag?: unknown } | undefined)?._tag
  return tag === "MailboxFull" ? full() : undefined
}

const full = () =>
  new ConnectionUnavailable({
    reason: "rate-limited",
    message: "The runner holds as many sessions as it may. Wait, or add a runner to the group.",
    delivery: "not-sent",
  })

/**
 * The runner was lost in the middle of a call.
 *
 * @param cause why, for logs; `undefined` if the call took too long
 */
export const lost = (delivery: McpDelivery, cause: Cause.Cause<unknown> | undefined): McpError =>
  new ConnectionUnavailable({
    reason: "connection-lost",
    message:
      delivery === "unknown"
        ? "The runner of the session was lost, or handed it to another one, before the answer. The agent may have begun: inspect the result before you send it again."
        : "The runner of the session was lost before it began. Send the request again.",
    delivery,
    ...(cause === undefined || Cause.hasInterruptsOnly(cause) ? {} : { cause: Cause.squash(cause) }),
  })

/**
 * No runner has answered in time.
 *
 * @param why the last failure of a connection to a runner, as a sentence
 */
export const noRunner = (
  reason: "connect-timeout" | "unreachable",
  group: string,
  limit: Duration.Duration,
  why = "Check `zain-runner status` and the group.",
): McpError =>
  new ConnectionUnavailable({
    reason,
    message: clip(`No runner of the group "${group}" answered within ${Duration.format(limit)}. ${why}`),
    delivery: "not-sent",
  })
