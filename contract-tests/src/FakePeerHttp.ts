/**
 * A fake agent over Streamable HTTP, as revision 2025-11-25 has it. It sends no event ids, and answers GET with no stream.
 */
import { randomUUID } from "node:crypto"
import type { JsonRpcId, JsonRpcMessage } from "@zain/process/JsonRpc"
import { type Behaviour, isObject } from "./FakeDialect.ts"
import * as FakePeerHost from "./FakePeerHost.ts"
import * as FakeServer from "./FakeServer.ts"
import type { PeerRecord } from "./PeerObservation.ts"

/** `path`: the endpoint. `silentPath`: an endpoint that accepts requests and never answers. */
export const path = "/mcp"
export const silentPath = "/silent"

/** `events`: a stream of a call's messages. `json`: the result alone, so that events and questions are lost. */
export type Replies = "events" | "json"

const sessionHeader = "mcp-session-id"
const versionHeader = "mcp-protocol-version"

/** The open response to a request. `tell` sends a message that belongs to the request, `end` breaks the response off. */
interface Reply {
  readonly tell: (message: JsonRpcMessage) => void
  readonly end: () => void
}

/** `version`: the negotiated protocol version; `undefined` before the handshake. */
interface Session {
  readonly id: string
  readonly server: FakeServer.FakeServer
  readonly replies: Map<JsonRpcId, Reply>
  version: string | undefined
}

/** Makes the handler of one listening server. Every session is a fake agent of its own. */
export const make = (
  newDialect: () => Behaviour,
  record: PeerRecord,
  replies: Replies,
): ((exchange: FakePeerHost.Exchange) => void) => {
  const sessions = new Map<string, { readonly session: Session; readonly release: () => void }>()

  const end = (id: string) => {
    const entry = sessions.get(id)
    sessions.delete(id)
    entry?.release()
    for (const reply of entry?.session.replies.values() ?? []) reply.end()
  }

  const begin = (): Session => {
    const id = randomUUID()
    const waiting = new Map<JsonRpcId, Reply>()
    const server = FakeServer.make(newDialect(), {
      send: (message, about) => {
        const agreed = "result" in message && isObject(message.result) ? message.result : {}
        if (typeof agreed["protocolVersion"] === "string") session.version ??= agreed["protocolVersion"]
        waiting.get(about)?.tell(message)
      },
      saw: record.saw,
      exit: () => end(id),
    })
    const session: Session = { id, server, replies: waiting, version: undefined }
    sessions.set(id, { session, release: record.holds(`session ${id}`) })
    return session
  }

  /** The session of a request; `undefined` after a refusal has been sent. */
  const find = (exchange: FakePeerHost.Exchange): Session | undefined => {
    const id = exchange.header(sessionHeader) ?? ""
    if (id === "") return void FakePeerHost.refuse(exchange, 400, "Bad Request: Mcp-Session-Id is required")
    const session = sessions.get(id)?.session
    if (session === undefined) return void FakePeerHost.refuse(exchange, 404, "Session not found")
    if (exchange.header(versionHeader) === session.version) return session
    return void FakePeerHost.refuse(exchange, 400, "Bad Request: Mcp-Protocol-Version is not what was agreed on")
  }

  const post = (exchange: FakePeerHost.Exchange) => {
    if (!/^application\/json\b/.test(exchange.header("content-type") ?? "")) {
      return FakePeerHost.refuse(exchange, 415, "Unsupported Media Type: the body must be application/json")
    }
    const accepted = exchange.header("accept") ?? ""
    if (!accepted.includes("application/json") || !accepted.includes("text/event-stream")) {
      return FakePeerHost.refuse(exchange, 406, "Not Acceptable: application/json and text/event-stream must be")
    }
    const message = FakePeerHost.parse(exchange)
    if (!isObject(message)) return FakePeerHost.refuse(exchange, 400, "Bad Request: no single message")
    const { id, method } = message
    const isNew = method === "initialize" && exchange.header(sessionHeader) === undefined
    const session = isNew ? begin() : find(exchange)
    if (session === undefined) return
    if (typeof method === "string" && (typeof id === "string" || typeof id === "number")) {
      const reply = replies === "json" ? answerOnce(exchange, session) : stream(exchange, session)
      session.replies.set(id, reply)
      exchange.response.once("close", () => {
        if (session.replies.get(id) === reply) session.replies.delete(id)
      })
    } else FakePeerHost.accept(exchange)
    session.server.receive(message)
  }

  return (exchange) => {
    const { response, route } = exchange
    switch (route) {
      case `POST ${path}`:
        return post(exchange)
      case `DELETE ${path}`: {
        const session = find(exchange)
        if (session === undefined) return
        end(session.id)
        return void response.writeHead(200).end()
      }
      case `POST ${silentPath}`:
        return
      default: {
        const [, at] = route.split(" ")
        return FakePeerHost.refuse(exchange, at === path || at === silentPath ? 405 : 404, `No ${route} here`)
      }
    }
  }
}

const isAnswer = (message: JsonRpcMessage) => !("method" in message)

const stream = (exchange: FakePeerHost.Exchange, { id }: Session): Reply => {
  const send = FakePeerHost.openEvents(exchange, { [sessionHeader]: id })
  return {
    tell: (message) => {
      send("message", JSON.stringify(message))
      if (isAnswer(message)) exchange.response.end()
    },
    end: () => exchange.response.destroy(),
  }
}

const answerOnce = ({ response }: FakePeerHost.Exchange, { id }: Session): Reply => ({
  tell: (message) => {
    if (!isAnswer(message)) return
    response.writeHead(200, { "content-type": "application/json", [sessionHeader]: id })
    response.end(JSON.stringify(message))
  },
  end: () => response.destroy(),
})
