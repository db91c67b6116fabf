/** A healthy server of HTTP with server-sent events (2024-11-05), for requests that the fault does not handle. */
import type { ServerResponse } from "node:http"
import { type Channel, introduction, refusal, response } from "./Behaviour.ts"
import { event, eventOf, openStream, reply } from "./HttpHit.ts"
import { asker, type Incoming, newSession, overChannel, paramsOf } from "./Incoming.ts"

interface Open {
  readonly channel: Channel
  readonly out: ServerResponse
}

const streams = new Map<string, Open>()

/** The stream of the session that a request belongs to. */
export const streamOf = (session: string): ServerResponse | undefined => streams.get(session)?.out

export const receive = (incoming: Incoming) => {
  const { behaviour, hit, message, of, url } = incoming
  const { kind, script } = hit
  if (kind === "stream" || kind === "resume") return open(incoming)
  const session = url.searchParams.get("session") ?? ""
  const stream = streams.get(session)
  if (stream === undefined) return reply(hit, 404, "no such session")
  reply(hit, 202, "Accepted")
  const { channel } = stream
  if (kind === "answer") return of.questions.get(String(message["id"]))?.(message)
  if (kind === "initialized") return behaviour.initialized?.(channel)
  if (kind === "initialize") {
    const asking = overChannel(channel, message, script, introduction(paramsOf(message)))
    return behaviour.initialize === undefined ? asking.ok() : behaviour.initialize(asking)
  }
  if (kind === "strike" || kind === "plain") {
    const call = overChannel(channel, message, script, script.good)
    if (kind === "plain") return call.ok()
    if (behaviour.call === undefined) call.ok()
    else behaviour.call(call)
    return behaviour.afterCall?.(channel, script)
  }
  if (message["id"] === undefined) return
  if (message["method"] === "ping") channel.send(response(message["id"], {}))
  else channel.send(refusal(message["id"], { code: -32601, message: "Not here" }))
}

const open = ({ behaviour, hit, of, url }: Incoming) => {
  const session = newSession(of)
  const out = openStream(hit)
  const bytes = (data: Uint8Array | string) => new Promise<void>((resolve) => void out.write(data, () => resolve()))
  const channel: Channel = {
    bytes,
    send: (sent) => void bytes(event(sent)),
    text: (text) => void bytes(`data: ${text}\n\n`),
    frame: eventOf,
    ask: asker(of, (sent) => channel.send(sent)),
  }
  streams.set(session, { channel, out })
  out.on("close", () => {
    streams.delete(session)
    of.sessions.delete(session)
  })
  const path = `${url.pathname.replace(/sse$/, "message")}?session=${session}`
  out.write(`event: endpoint\ndata: ${behaviour.endpoint?.(path, hit) ?? path}\n\n`)
  behaviour.start?.(channel, hit.script)
}
