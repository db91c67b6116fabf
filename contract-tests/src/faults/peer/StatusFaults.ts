/** A server that answers with a status instead of an answer: at the handshake, or at a call. */
import type { OutgoingHttpHeaders } from "node:http"
import type { Behaviour, Behaviours } from "./Behaviour.ts"
import { type HttpHit, type Kind, reply } from "./HttpHit.ts"
import { retrySeconds, type Status, statuses } from "./Statuses.ts"

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

export const statusFaults: Behaviours = Object.fromEntries(
  statuses.flatMap(
    (status): ReadonlyArray<[string, Behaviour]> => [
      [`open-${status.name}`, strike(first, status)],
      [`call-${status.name}`, strike(call, status)],
    ],
  ),
)
