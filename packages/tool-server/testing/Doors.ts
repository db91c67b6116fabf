/**
 * The same client over each transport.
 */
import { PassThrough, type Readable } from "node:stream"
import * as Messages from "@zain/testkit/Messages"
import * as RawHttp from "@zain/testkit/RawHttp"
import * as HttpServe from "@zain/tool-server/http/HttpServe"
import * as StdioTransport from "@zain/tool-server/StdioTransport"
import type { ToolServer } from "@zain/tool-server/ToolServer"
import { Effect, type Scope } from "effect"
import * as Openings from "./http/Openings.ts"
import * as RawSocket from "./RawSocket.ts"
import * as Slowly from "./Slowly.ts"
import * as SocketClient from "./SocketClient.ts"
import * as TestServer from "./TestServer.ts"

/**
 * - `say`: sends a text unchanged, or bytes that may be invalid
 * - `heard`: every message of the server, in order
 * - `isOver`: whether the server has closed the connection, or the stream of a request before its answer
 */
export interface Door {
  readonly say: (text: string | Buffer) => void
  readonly heard: ReadonlyArray<Messages.Message>
  readonly isOver: () => boolean
}

/**
 * A client over one of the transports that listen.
 *
 * - `isIdle`: whether every message has a response, as far as the transport shows it
 * - `refusals`: the status or the code of each refusal, and its message
 * - `pause`, `resume`: stops and resumes reading; `slowly`: reads slowly until the returned function is called
 * - `vanish`: resets its connections, as the kernel does for a killed process
 * - `begin`: sends so many bytes of a 2 MiB message over a new connection
 */
export interface Client extends Door {
  readonly isIdle: () => boolean
  readonly refusals: ReadonlyArray<string>
  readonly pause: () => void
  readonly resume: () => void
  readonly slowly: () => () => void
  readonly vanish: () => void
  readonly begin: (bytes: number) => Effect.Effect<RawSocket.RawSocket, never, Scope.Scope>
}

const bearer = (token: string | undefined) => (token === undefined ? {} : { authorization: `Bearer ${token}` })

/** Parses messages from lines, and from events. */
const listener = (heard: (message: Messages.Message) => void) => {
  let rest = ""
  return (piece: string) => {
    const [first = "", ...lines] = piece.split("\n")
    rest += first
    if (lines.length === 0) return
    lines.unshift(rest)
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const text = line.replace(/^data: /, "")
      if (/^[{[]/.test(text)) heard(JSON.parse(text))
    }
  }
}

const stdio = Effect.fnUntraced(function* (server: ToolServer) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const heard: Array<Messages.Message> = []
  output.setEncoding("utf8").on(
    "data",
    listener((message) => heard.push(message)),
  )
  yield* server.session(StdioTransport.make(input, output, { maxResultBytes: 64 * 2 ** 20 }))
  const say = (text: string | Buffer) => void input.write(line(text))
  return { heard, say, isOver: () => output.writableEnded } satisfies Door
})

const line = (text: string | Buffer) =>
  typeof text === "string" ? `${text.replaceAll("\n", " ")}\n` : Buffer.concat([text, Buffer.from("\n")])

/** The shared part of HTTP clients: a request is sent when the response to the previous one has begun. */
const requests = (url: string, token: string | undefined) =>
  Effect.map(RawHttp.make(url), (raw) => {
    const heard: Array<Messages.Message> = []
    const refusals: Array<string> = []
    const streams = new Set<Readable>()
    let isPaused = false
    let isLost = false
    let last: Promise<unknown> = Promise.resolve()
    const open = async (asked: RawHttp.Asked): Promise<RawHttp.Stream> => {
      const own: Array<Messages.Message> = []
      const hear = listener((message) => {
        own.push(message)
        heard.push(message)
      })
      const headers = { ...RawHttp.json, ...bearer(token), ...asked.headers }
      const stream = await Effect.runPromise(raw.open({ ...asked, headers, hear }))
      const { ended, response, status } = stream
      const isJson = /json/.test(stream.headers["content-type"] ?? "")
      streams.add(response)
      if (isPaused) response.pause()
      void Effect.runPromise(ended).then(() => {
        streams.delete(response)
        if (isJson) hear("\n")
        if (status >= 400) refusals.push(`${status} ${own[0]?.error?.message}`)
        isLost ||= status === 200 && !own.some(({ method }) => method === undefined)
      })
      return stream
    }
    let underWay = 0
    const inTurn = (next: () => Promise<RawHttp.Stream>): void => {
      underWay++
      last = last.then(next).then(({ ended }) => {
        void Effect.runPromise(ended).then(() => underWay--)
      })
    }
    const client = {
      heard,
      refusals,
      isOver: () => isLost,
      isIdle: () => underWay === 0,
      pause: () => {
        isPaused = true
        for (const stream of streams) stream.pause()
      },
      resume: () => {
        isPaused = false
        for (const stream of streams) stream.resume()
      },
      slowly: () => Slowly.read([...streams].at(-1) as Readable),
      vanish: raw.vanish,
    }
    return { client, open, inTurn, raw }
  })

/** Starts to post a message. */
const begun = (url: string, path: string, headers: Openings.Headers, bytes: number) => {
  const port = Number(new URL(url).port)
  const head = { "Content-Type": "application/json", ...headers, "Content-Length": String(2 ** 21) }
  return RawSocket.connect(port, Openings.text(port, `POST ${path} HTTP/1.1`, head, " ".repeat(bytes)))
}

/** Sends each text in one request, within the session of the first one. */
const http = (url: string, token?: string) =>
  Effect.map(requests(url, token), ({ client, inTurn, open }): Client => {
    let session: Readonly<Record<string, string>> = {}
    const post = async (body: string | Buffer) => {
      const stream = await open({ headers: session, body })
      const id = stream.headers["mcp-session-id"]
      if (id !== undefined) session = { "mcp-session-id": String(id) }
      return stream
    }
    return {
      ...client,
      say: (text) => inTurn(() => post(text)),
      begin: (bytes) => begun(url, "/mcp", { ...bearer(token), ...session }, bytes),
    }
  })

/** Sends each text in one request, and reads one stream. */
const sse = Effect.fnUntraced(function* (url: string, token?: string) {
  const { client, inTurn, open } = yield* requests(url, token)
  const stream = yield* Effect.promise(() => open({}))
  const path = /^data: (.*)$/m.exec(yield* stream.until("\n\n"))?.[1] ?? ""
  return {
    ...client,
    isOver: stream.isOver,
    say: (body) => inTurn(() => open({ path, body })),
    slowly: () => Slowly.read(stream.response),
    begin: (bytes) => begun(url, path, bearer(token), bytes),
  } satisfies Client
})

const ws = (url: string, token?: string) =>
  Effect.map(SocketClient.open(url, { headers: bearer(token) }), ({ heard, socket, stream }): Client => {
    const refusals: Array<string> = []
    socket.on("close", (code, reason) => refusals.push(`${code} ${reason}`))
    return {
      heard,
      refusals,
      say: (text) => socket.send(text, { binary: false }),
      isOver: () => socket.readyState === socket.CLOSED,
      isIdle: () => socket.bufferedAmount === 0,
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      slowly: () => Slowly.read(stream),
      vanish: () => socket.terminate(),
      begin: (bytes) =>
        Effect.tap(Openings.upgraded(Number(new URL(url).port), bearer(token)), (raw) =>
          Effect.sync(() => raw.socket.write(RawSocket.frame("text", "x".repeat(bytes), { length: 2 ** 21 }))),
        ),
    }
  })

const clients = { http, sse, ws } as const

/** A client of this server. */
export const of = (kind: Openings.Kind | "stdio", server: ToolServer) =>
  Effect.gen(function* (): Effect.fn.Return<Door, unknown, Scope.Scope> {
    if (kind === "stdio") return yield* stdio(server)
    const { url } = yield* HttpServe.serve({ server, kind, host: "127.0.0.1", port: 0, tokens: [] })
    return yield* clients[kind](url)
  })

/** A client of a new server. */
export const open = (kind: Openings.Kind | "stdio", options: TestServer.Given = {}) =>
  Effect.gen(function* (): Effect.fn.Return<Door, unknown, Scope.Scope> {
    if (kind === "stdio") return yield* stdio(TestServer.make(options).server)
    const { url } = yield* TestServer.start({ kind, ...options })
    return yield* clients[kind](url)
  })

/** Waits for the answer to a request. */
export const answer = ({ heard }: Door, id: string | number | null) => TestServer.answerIn(heard, id)

/** Sends a request, and waits for its answer. */
export const ask = (door: Door, text: string, id: string | number | null): Effect.Effect<Messages.Message> =>
  Effect.suspend(() => {
    door.say(text)
    return answer(door, id)
  })

/** An initialized client of a server that listens. */
export const session = Effect.fnUntraced(function* (url: string, token?: string) {
  const { pathname, protocol } = new URL(url)
  const kind = protocol === "ws:" ? "ws" : pathname === "/sse" ? "sse" : "http"
  const client = yield* clients[kind](url, token)
  yield* ask(client, Messages.initialize, "initialize")
  yield* TestServer.eventually(client.isIdle)
  client.say(Messages.initialized)
  yield* TestServer.eventually(client.isIdle)
  return client
})

/** The refusal of a client that is rejected once. */
export const refusal = ({ refusals }: Client): Effect.Effect<string | undefined> =>
  Effect.map(
    TestServer.eventually(() => refusals.length > 0),
    () => refusals[0],
  )
