/** A healthy server of Streamable HTTP, for requests that the fault does not handle. */
import { type Asked, type HttpHit, introduction, type Json, refusal, response } from "./Behaviour.ts"
import { event, eventOf, eventStream, json, reply } from "./HttpHit.ts"
import { asker, type Incoming, idOf, newSession, paramsOf } from "./Incoming.ts"
import type { Sightings } from "./Sightings.ts"

const afterHandshake: ReadonlySet<string> = new Set([
  "initialized",
  "strike",
  "plain",
  "cancelled",
  "answer",
  "stream",
  "resume",
  "delete",
])

/** Sessions with a negotiated protocol version. */
const agreed = new Set<string>()

/** Records what a request lacks. */
export const complain = ({ kind, request: { headers, method } }: HttpHit, { complaints }: Sightings): void => {
  const accepted = String(headers.accept)
  if (method === "POST" && !(accepted.includes("application/json") && accepted.includes("text/event-stream"))) {
    complaints.push(`${kind}: accepts ${accepted}`)
  }
  if (!afterHandshake.has(kind)) return
  if (agreed.has(String(headers["mcp-session-id"])) && headers["mcp-protocol-version"] === undefined) {
    complaints.push(`${kind}: no mcp-protocol-version`)
  }
  if (headers["mcp-session-id"] === undefined) complaints.push(`${kind}: no mcp-session-id`)
}

export const receive = (incoming: Incoming) => {
  const { behaviour, hit, message, of } = incoming
  const { kind, request, script } = hit
  if (kind === "initialize") {
    let session = ""
    const asking = asked(incoming, introduction(paramsOf(message)), () => {
      session = newSession(of)
      return { "mcp-session-id": session }
    })
    const ok = () => {
      asking.ok()
      agreed.add(session)
    }
    return behaviour.initialize === undefined ? ok() : behaviour.initialize({ ...asking, ok })
  }
  if (kind === "delete") return reply(hit, 200)
  if (kind === "stream" || kind === "resume") return reply(hit, 405)
  if (!of.sessions.has(String(request.headers["mcp-session-id"]))) return reply(hit, 404, "no such session")
  if (kind === "answer") {
    of.questions.get(String(message["id"]))?.(message)
    return reply(hit, 202)
  }
  if (kind === "strike" || kind === "plain") {
    const call = asked(incoming, script.good, () => ({}))
    return kind === "plain" || behaviour.call === undefined ? call.ok() : behaviour.call(call)
  }
  if (message["id"] === undefined) return reply(hit, 202)
  const result = message["method"] === "ping" ? {} : undefined
  const answer =
    result === undefined
      ? refusal(message["id"], { code: -32601, message: "Not here" })
      : response(message["id"], result)
  reply(hit, 200, JSON.stringify(answer), json)
}

/** A request that is answered as JSON, or as a stream if a message precedes the answer. */
const asked = (
  { hit, message, of }: Incoming,
  good: unknown,
  headers: () => Readonly<Record<string, string>>,
): Asked => {
  const { response: out, script } = hit
  const id = idOf(message)
  const bytes = (data: Uint8Array | string) =>
    new Promise<void>((resolve) => {
      if (!out.headersSent) out.writeHead(200, { ...eventStream, ...headers() })
      out.write(data, () => resolve())
    })
  const send = (sent: unknown) => void bytes(event(sent))
  const finish = (answer: Json) => {
    if (!out.headersSent) return void out.writeHead(200, { ...json, ...headers() }).end(JSON.stringify(answer))
    send(answer)
    out.end()
  }
  return {
    id,
    script,
    params: paramsOf(message),
    send,
    bytes,
    text: (text) => void bytes(`data: ${text}\n\n`),
    frame: eventOf,
    ask: asker(of, send),
    ok: () => finish(response(id, good)),
    result: (result) => finish(response(id, result)),
    error: (error) => finish(refusal(id, error)),
    end: () => void out.end(),
  }
}
