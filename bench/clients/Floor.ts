/**
 * The floor: bytes are sent, received and parsed once, without limits, cancelling or errors.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { Agent, type IncomingHttpHeaders, request } from "node:http"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Client, HttpPeer, MakeClient, Session, StdioPeer } from "./Client.ts"

interface Message {
  readonly id?: number
}

const initialize =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},' +
  '"clientInfo":{"name":"bench","version":"0"}}}\n'
const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'

/** A line that asks for progress, which servers without events do not send. */
const toolCall = (id: number, prompt: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"codex","arguments":{"prompt":` +
  `${JSON.stringify(prompt)}},"_meta":{"progressToken":${id}}}}\n`

/** A socket that is read into one buffer; or `node:http` with connections that are kept. */
export const floor: MakeClient = async (peer): Promise<Client> =>
  peer.transport === "stdio" ? { open: (onEvent) => lines(peer, onEvent), end: async () => {} } : http(peer)

let processes = 0

/** Starts a process whose standard input and output are one socket. `ChildProcess` would allocate memory for each read. */
const start = async ({ args, command }: StdioPeer, take: (bytes: Buffer) => void) => {
  const path = join(tmpdir(), `zain-bench-${process.pid}-${++processes}`)
  const server = createServer().listen(path)
  await once(server, "listening")
  const connected = once(server, "connection")
  const buffer = Buffer.allocUnsafe(2 ** 18)
  const callback = (length: number) => {
    take(buffer.subarray(0, length))
    return true
  }
  const socket = connect({ path, onread: { buffer, callback } })
  const [far] = await connected
  const child = spawn(command, args, { stdio: [far, far, "inherit"] })
  far.destroy()
  server.close()
  return { child, socket }
}

const lines = async (peer: StdioPeer, onEvent = () => {}): Promise<Session> => {
  const waiting = new Map<number, (message: Message) => void>()
  const take = (line: string) => {
    const message: Message = JSON.parse(line)
    if (message.id === undefined) return onEvent()
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  }
  const parts: Array<Buffer> = []
  const { child, socket } = await start(peer, (bytes) => {
    let from = 0
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      if (parts.length === 0) take(bytes.toString("utf8", from, at))
      else take(Buffer.concat([...parts.splice(0), bytes.subarray(from, at)]).toString())
      from = at + 1
    }
    if (from < bytes.length) parts.push(Buffer.from(bytes.subarray(from)))
  })
  const send = (id: number, line: string) =>
    new Promise<Message>((resolve) => {
      waiting.set(id, resolve)
      socket.write(line)
    })
  await send(0, initialize)
  socket.write(initialized)
  let count = 0
  return {
    call: (prompt) => send(++count, toolCall(count, prompt)),
    close: () => {
      const closed = once(child, "close")
      socket.end()
      return closed
    },
  }
}

/** The same, with a new connection for each call, which no server can end while the call is written. */
export const floorAnew: MakeClient = async (peer) => (peer.transport === "http" ? http(peer, false) : floor(peer))

const http = ({ url }: HttpPeer, agentOfCalls?: false): Client => {
  const agent = new Agent({ keepAlive: true })
  const ask = (method: string, headers: Readonly<Record<string, string>>, body?: string, by: Agent | false = agent) =>
    new Promise<{ readonly headers: IncomingHttpHeaders; readonly text: string }>((resolve, reject) => {
      const out = request(url, { method, agent: by, headers }, (response) => {
        const pieces: Array<Buffer> = []
        response.on("data", (piece: Buffer) => pieces.push(piece))
        response.on("end", () => {
          const [first, second] = pieces
          const whole = second === undefined ? first : Buffer.concat(pieces)
          resolve({ headers: response.headers, text: whole?.toString() ?? "" })
        })
      })
      out.on("error", reject)
      out.end(body)
    })
  return {
    open: async (): Promise<Session> => {
      let count = 0
      const plain = { "content-type": "application/json", accept: "application/json, text/event-stream" }
      const opened = await ask("POST", plain, initialize)
      const headers = { ...plain, "mcp-session-id": String(opened.headers["mcp-session-id"]) }
      await ask("POST", headers, initialized)
      return {
        call: async (prompt) => {
          const { headers: answered, text } = await ask("POST", headers, toolCall(++count, prompt), agentOfCalls)
          return JSON.parse(answered["content-type"] === "text/event-stream" ? dataOf(text) : text)
        },
        close: () => ask("DELETE", headers),
      }
    },
    end: async () => agent.destroy(),
  }
}

/** What the last event of a stream carries. */
const dataOf = (text: string): string => {
  const from = text.lastIndexOf("data: ") + "data: ".length
  return text.slice(from, text.indexOf("\n", from))
}
