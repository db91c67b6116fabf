/** A server over HTTP that answers with a status, page and headers of its own choice. */
import { type Expectation, type Failure, type Fault, fails, type Next, notSent, on, unknown } from "./Fault.ts"
import { retrySeconds, type Status, statuses } from "./peer/Statuses.ts"

const http = ["streamable-http", "sse"] as const

const retryAfterOf = ({ retryAfter }: Status): Pick<Failure, "retryAfter"> => {
  if (retryAfter === "seconds") return { retryAfter: [retrySeconds * 1_000, retrySeconds * 1_000] }
  // An HTTP date has whole seconds, a minute from when it was said.
  return { retryAfter: retryAfter === "date" ? [50_000, 61_000] : "none" }
}

const withStatus = (failure: Failure, { status }: Status): Failure => ({
  ...failure,
  diagnostics: { httpStatus: status },
})

const atOpen = (status: Status): Expectation => {
  const code = status.status
  if (code === 401 || code === 403 || code === 407) {
    return { opening: withStatus(notSent("unauthorized"), status) }
  }
  if (code === 429) return { opening: withStatus({ ...notSent("rate-limited"), ...retryAfterOf(status) }, status) }
  if (code >= 500) return { opening: withStatus(notSent("server-error"), status) }
  return { opening: notSent("not-an-mcp-server") }
}

const atCall = (status: Status): Expectation => {
  const code = status.status
  const due = (failure: Failure, next: Next) => fails(withStatus(failure, status), next)
  if (code === 401 || code === 403 || code === 407) return due(notSent("unauthorized"), "answers")
  if (code === 404 || code === 410) return due(notSent("session-expired"), notSent("session-expired"))
  if (code === 429) return due({ ...notSent("rate-limited"), ...retryAfterOf(status) }, "answers")
  if (code >= 500) return due(unknown("server-error"), "as-after-cancel")
  if (code >= 400) return fails({ reasons: ["rejected-by-server"] }, "answers-or-lost")
  return fails(notSent("protocol-violation"), "answers")
}

const promisesOf = ({ location, status }: Status): ReadonlyArray<number> => {
  if (location !== undefined) return [6, 19, 20]
  return status === 401 || status === 429 ? [6, 19, 20, 22] : [6, 19]
}

const words = ({ location, name, retryAfter, status }: Status): string => {
  if (location !== undefined) return `redirects (${status}) to ${location === "same" ? "its own" : "another"} origin`
  return retryAfter === undefined ? `answers with ${name}` : `answers with ${status} and a retry-after (${retryAfter})`
}

/** Every status, at the handshake and at a call. */
export const statusFaults: ReadonlyArray<Fault> = statuses.flatMap(
  (status): ReadonlyArray<Fault> => [
    {
      id: `open-${status.name}`,
      title: `${words(status)} at the handshake, and echoes the secret`,
      promises: [...promisesOf(status), 10],
      strikes: "handshake",
      expected: on(atOpen(status), ...http),
    },
    {
      id: `call-${status.name}`,
      title: `${words(status)} at a call, and echoes the secret`,
      promises: promisesOf(status),
      strikes: "call",
      expected: on(atCall(status), ...http),
    },
  ],
)
