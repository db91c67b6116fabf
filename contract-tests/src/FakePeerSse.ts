/**
 * A fake agent over HTTP with server-sent events, as revision 2024-11-05 has it: one stream for the server's messages, and
 * an endpoint for the client's.
 */
import { randomUUID } from "node:crypto"
import { type Behaviour, isObject } from "./FakeDialect.ts"
import * as FakePeerHost from "./FakePeerHost.ts"
import * as FakeServer from "./FakeServer.ts"
import type { PeerRecord } from "./PeerObservation.ts"

/** `path`: the stream. `silentPath`: a stream that sends its endpoint and nothing else. */
export const path = "/sse"
export const silentPath = "/silent"

const messagePath = "/message"

/** Makes the handler of one listening server. Every stream is a session, and a fake agent of its own. */
export const make = (newDialect: () => Behaviour, record: PeerRecord): ((exchange: FakePeerHost.Exchange) => void) => {
  const sessions = new Map<string, FakeServer.FakeServer | undefined>()

  const begin = (exchange: FakePeerHost.Exchange, isSilent: boolean) => {
    const { response } = exchange
    const id = randomUUID()
    const send = FakePeerHost.openEvents(exchange)
    const release = record.holds(`session ${id}`)
    const end = () => {
      sessions.delete(id)
      release()
      response.destroy()
    }
    response.once("close", end)
    const surroundings: FakeServer.Surroundings = {
      send: (message) => {
        if (sessions.has(id)) send("message", JSON.stringify(message))
      },
      saw: record.saw,
      exit: end,
    }
    sessions.set(id, isSilent ? undefined : FakeServer.make(newDialect(), surroundings))
    send("endpoint", `${messagePath}?sessionId=${id}`)
  }

  const post = (exchange: FakePeerHost.Exchange) => {
    const id = exchange.url.searchParams.get("sessionId") ?? ""
    if (!sessions.has(id)) return FakePeerHost.refuse(exchange, 404, "Session not found")
    const message = FakePeerHost.parse(exchange)
    if (!isObject(message)) return FakePeerHost.refuse(exchange, 400, "Bad Request: no single message")
    FakePeerHost.accept(exchange)
    sessions.get(id)?.receive(message)
  }

  return (exchange) => {
    switch (exchange.route) {
      case `GET ${path}`:
        return begin(exchange, false)
      case `GET ${silentPath}`:
        return begin(exchange, true)
      case `POST ${messagePath}`:
        return post(exchange)
      default:
        return FakePeerHost.refuse(exchange, 404, `No ${exchange.route} here`)
    }
  }
}
