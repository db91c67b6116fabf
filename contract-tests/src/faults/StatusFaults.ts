/** A server over HTTP that answers with a status, page and headers of its own choice: at the handshake, or at a call. */
import type { OutgoingHttpHeaders } from "node:http"
import { dueOn, type Expectation, type Failure, type Fault, fails, type Next, notSent, unknown } from "./Fault.ts"
import type { Behaviour, HttpHit, Kind } from "./peer/Behaviour.ts"
import { reply } from "./peer/HttpHit.ts"

/**
 * - `name`: the end of the fault's id
 * - `location`: the origin of a redirect's target
 */
interface Status {
  readonly name: string
  readonly status: number
  readonly location?: "same" | "other"
  readonly retryAfter?: "seconds" | "date" | "garbage"
}

const redirects = [301, 302, 307, 308].flatMap(
  (status): ReadonlyArray<Status> => [
    { name: `${status}-to-another-origin`, status, location: "other" },
    { name: `${status}-to-the-same-origin`, status, location: "same" },
  ],
)

const plain = [400, 401, 403, 404, 405, 406, 407, 408, 410, 413, 415, 500, 502, 503, 504].map(
  (status): Status => ({ name: String(status), status }),
)

const limited = (["seconds", "date", "garbage"] as const).map(
  (retryAfter): Status => ({ name: `429-${retryAfter}`, status: 429, retryAfter }),
)

const statuses: ReadonlyArray<Status> = [...redirects, ...plain, { name: "429", status: 429 }, ...limited]

/** The value of `retry-after` in seconds. */
const retrySeconds = 7

const headersOf = (
  { elsewhere, request, script }: HttpHit,
  { location, retryAfter, status }: Status,
): OutgoingHttpHeaders => {
  const headers: OutgoingHttpHeaders = { "content-type": "text/html", "x-echo": script.secret }
  if (status === 401) headers["www-authenticate"] = `Bearer realm="${script.secret}", resource_metadata="${elsewhere}"`
  if (location === "other") headers["location"] = elsewhere
  if (location === "same") headers["location"] = String(request.url).replace("/mcp", "/mcp/moved")
  if (retryAfter === "seconds") headers["retry-after"] = String(retrySeconds)
  if (retryAfter === "date") headers["retry-after"] = new Date(Date.now() + 60_000).toUTCString()
  if (retryAfter === "garbage") headers["retry-after"] = `soon ${script.secret}`
  return headers
}

const strike = (kinds: ReadonlySet<Kind>, status: Status): Behaviour => ({
  http: (hit) => {
    if (!kinds.has(hit.kind)) return false
    if (hit.kind === "strike" && (status.status === 404 || status.status === 410)) hit.forget()
    const page = `<html><body>${hit.request.headers.authorization} ${hit.script.secret}${"<p>sorry</p>".repeat(200)}</body></html>`
    reply(hit, status.status, page, headersOf(hit, status))
    return true
  },
})

/** The first request of a connection: a POST, or the GET of the stream. */
const first: ReadonlySet<Kind> = new Set(["initialize", "stream"])
const call: ReadonlySet<Kind> = new Set(["strike"])

const retryAfterOf = ({ retryAfter }: Status): Pick<Failure, "retryAfter"> => {
  if (retryAfter === "seconds") return { retryAfter: [retrySeconds * 1_000, retrySeconds * 1_000] }
  // An HTTP date has whole seconds; it is a minute after the response.
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

const overHttp = dueOn("streamable-http", "sse")

/** Every status, at the handshake and at a call. */
export const statusFaults: ReadonlyArray<Fault> = statuses.flatMap((status): ReadonlyArray<Fault> => {
  const promises = promisesOf(status)
  const [opening, calling] = ["at the handshake", "at a call"].map(
    (when) => `${words(status)} ${when}, and echoes the secret`,
  )
  return [
    overHttp(atOpen(status))(`open-${status.name}`, opening ?? "", [...promises, 10]).by(
      "handshake",
      strike(first, status),
    ),
    overHttp(atCall(status))(`call-${status.name}`, calling ?? "", promises).by("call", strike(call, status)),
  ]
})
