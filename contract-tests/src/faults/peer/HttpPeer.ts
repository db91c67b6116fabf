/** The peer over HTTP: Streamable HTTP at `/<fault>/mcp`, HTTP with server-sent events at `/<fault>/sse`. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, connect, createServer as createListener, type Server, type Socket } from "node:net"
import {
  type Behaviour,
  type HttpHit,
  introduction,
  isObject,
  type Json,
  type Kind,
  response,
  type Script,
  strikeMark,
  uncancellable,
} from "./Behaviour.ts"
import { type Incoming, paramsOf } from "./Incoming.ts"
import * as PeerStream from "./PeerStream.ts"
import * as Sightings from "./Sightings.ts"
import * as Streamable from "./Streamable.ts"

/** What the running server reports to the suite. */
export interface Listening {
  readonly port: number
  readonly closedPort: number
  readonly observe: (fault: string) => Sightings.Observation
  readonly reset: () => void
}

/** Starts listening. */
export const listen = async (behaviours: ReadonlyMap<string, Behaviour>, script: Script): Promise<Listening> => {
  const sockets = new Set<Socket>()
  const known = new Map<string, Sightings.Sightings>()
  const of = (fault: string) => {
    const seen = known.get(fault) ?? Sightings.make()
    known.set(fault, seen)
    return seen
  }

  // Another program may have used this port before, and still send requests: only paths that a redirect names count.
  const elsewhere = createServer(({ url = "" }, answer) => {
    const [, fault = ""] = url.split("/")
    if (behaviours.has(fault)) of(fault).complaints.push("a request came to another origin")
    answer.end()
  })
  const foreignPort = await portOf(elsewhere)

  const serve = async (request: IncomingMessage, answer: ServerResponse) => {
    answer.on("error", () => {})
    const url = new URL(request.url ?? "/", "http://127.0.0.1")
    const [, fault = "", leaf = ""] = url.pathname.split("/")
    const behaviour = behaviours.get(fault)
    if (behaviour === undefined) return void answer.writeHead(404, { connection: "close" }).end()
    const body = await bodyOf(request)
    if (body === undefined) return
    const message = parse(body)
    const seen = of(fault)
    const kind = kindOf(request, message)
    const turn = Sightings.saw(seen, { kind, method: request.method ?? "", path: url.pathname })
    if (kind === "strike" || kind === "plain") {
      seen.calls.push(JSON.stringify(message["params"]))
      seen.underWay.add(answer)
      answer.on("close", () => seen.underWay.delete(answer))
    }
    if (!String(request.headers.authorization).includes(script.secret)) {
      seen.complaints.push(`${kind}: no authorization header`)
    }
    const id = typeof message["id"] === "string" || typeof message["id"] === "number" ? message["id"] : undefined
    const session = String(request.headers["mcp-session-id"] ?? url.searchParams.get("session"))
    const hit: HttpHit = {
      kind,
      turn,
      request,
      response: answer,
      socket: request.socket,
      id,
      script,
      good: response(id, kind === "initialize" ? introduction(paramsOf(message)) : script.good),
      elsewhere: `http://127.0.0.1:${foreignPort}${url.pathname}`,
      forget: () => void seen.sessions.delete(session),
      remember: seen.remember,
    }
    if (kind === "initialize") seen.remember["first"] = id
    if (kind === "cancelled" && paramsOf(message)["requestId"] === seen.remember["first"]) {
      seen.complaints.push(uncancellable)
    }
    if (leaf === "mcp") Streamable.complain(hit, seen)
    if (kind === "delete") seen.sessions.delete(session)
    if (behaviour.http?.(hit) === true) return
    const incoming: Incoming = { hit, of: seen, behaviour, message, url }
    if (leaf === "mcp") Streamable.receive(incoming)
    else PeerStream.receive(incoming)
  }

  const server = createServer((request, answer) => {
    serve(request, answer).catch((cause) => process.stderr.write(`${String(cause?.stack ?? cause)}\n`))
  })
  // The client must end the connections, so the peer keeps them open.
  server.keepAliveTimeout = 600_000
  server.requestTimeout = 0
  server.headersTimeout = 0
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
  })
  return {
    port: await portOf(server),
    closedPort: await closedPortOf(),
    observe: (fault) => Sightings.observe(of(fault), sockets.size),
    reset: () => known.clear(),
  }
}

const portOf = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)))

/** A port on which nothing listens: the client's end of an open connection. A released port could be reused by another program. */
const closedPortOf = async (): Promise<number> => {
  const server = createListener((socket) => socket.unref()).unref()
  const socket = connect(await portOf(server), "127.0.0.1").unref()
  await once(socket, "connect")
  return socket.localPort ?? 0
}

const bodyOf = async (request: IncomingMessage): Promise<string | undefined> => {
  try {
    const pieces: Array<Buffer> = []
    for await (const piece of request) pieces.push(piece as Buffer)
    return Buffer.concat(pieces).toString("utf8")
  } catch {
    return undefined
  }
}

const parse = (body: string): Json => {
  try {
    const message: unknown = JSON.parse(body)
    return isObject(message) ? message : {}
  } catch {
    return {}
  }
}

const kindOf = ({ headers, method: verb }: IncomingMessage, message: Json): Kind => {
  if (verb === "DELETE") return "delete"
  if (verb === "GET") return headers["last-event-id"] === undefined ? "stream" : "resume"
  const { method } = message
  if (method === undefined && message["id"] !== undefined) return "answer"
  if (method === "tools/call") return JSON.stringify(message["params"]).includes(strikeMark) ? "strike" : "plain"
  if (method === "initialize") return "initialize"
  if (method === "notifications/initialized") return "initialized"
  if (method === "notifications/cancelled") return "cancelled"
  return "other"
}
