/**
 * The same client at each way into a server.
 */
import { PassThrough } from "node:stream"
import * as StdioTransport from "@zain/tool-server/StdioTransport"
import * as Effect from "effect/Effect"
import type * as Messages from "./Messages.ts"
import * as SocketClient from "./SocketClient.ts"
import * as TestServer from "./TestServer.ts"

/**
 * - `say`: sends a text as it is, or bytes that may be none
 * - `isOver`: whether the server has closed it
 * - `heard`: all that the server has said, in order
 */
export interface Door {
  readonly say: (text: string | Buffer) => void
  readonly isOver: () => boolean
  readonly heard: ReadonlyArray<Messages.Message>
}

const ws = Effect.gen(function* () {
  const { url } = yield* TestServer.start()
  const { heard, socket } = yield* SocketClient.open(url)
  const say = (text: string | Buffer) => socket.send(text, { binary: false })
  return { heard, say, isOver: () => socket.readyState === socket.CLOSED }
})

const stdio = Effect.gen(function* () {
  const { server } = TestServer.make()
  const [input, output] = [new PassThrough(), new PassThrough()]
  const heard: Array<Messages.Message> = []
  let rest = ""
  output.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = `${rest}${chunk}`.split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) heard.push(JSON.parse(line))
  })
  yield* server.session(StdioTransport.make(input, output))
  const say = (text: string | Buffer) => void input.write(line(text))
  return { heard, say, isOver: () => output.writableEnded }
})

const line = (text: string | Buffer) =>
  typeof text === "string" ? `${text.replaceAll("\n", " ")}\n` : Buffer.concat([text, Buffer.from("\n")])

/** Each text in a request of its own, within the session that the first one begins. */
const http = Effect.gen(function* () {
  const { url } = yield* TestServer.start({ kind: "http" })
  const heard: Array<Messages.Message> = []
  const leaving = new AbortController()
  yield* Effect.addFinalizer(() => Effect.sync(() => leaving.abort()))
  let last = Promise.resolve()
  let session: string | null = null
  const post = async (body: string | Buffer) => {
    const reply = await fetch(url, {
      method: "POST",
      body,
      signal: leaving.signal,
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        ...(session === null ? {} : { "mcp-session-id": session }),
      },
    })
    session ??= reply.headers.get("mcp-session-id")
    return reply
  }
  const read = async (reply: Response) => {
    const text = await reply.text()
    if (text.startsWith("{")) heard.push(JSON.parse(text))
    for (const [, data] of text.matchAll(/^data: (\{.*)$/gm)) heard.push(JSON.parse(data as string))
  }
  const say = (text: string | Buffer) => {
    // In order, and without waiting for what takes its time.
    last = last
      .then(() => post(text))
      .then((reply) => void read(reply).catch(() => {}))
      .catch(() => {})
  }
  return { heard, say, isOver: () => false }
})

export const doors = { ws, stdio, http } as const

/** Waits for the answer to a request. */
export const answer = ({ heard }: Door, id: string | number | null): Effect.Effect<Messages.Message> => {
  const found = () => heard.find((message) => message.id === id)
  return Effect.map(
    TestServer.eventually(() => found() !== undefined),
    () => found() as Messages.Message,
  )
}
