/**
 * The floor: bytes are sent, received and parsed once, without limits, cancelling or errors.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { Agent, type IncomingHttpHeaders, request } from "node:http"
import { type Client, type HttpPeer, type MakeClient, oneByOne, type Session, type StdioPeer } from "./Client.ts"

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
}

const initialize = {
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "0" } },
}
const initialized = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })
const toolCall = (prompt: string, token?: number) => ({
  method: "tools/call",
  params: {
    name: "codex",
    arguments: { prompt },
    ...(token === undefined ? {} : { _meta: { progressToken: token } }),
  },
})

/** Pipes, split at the ends of lines; or `node:http` with connections that are kept. */
export const floor: MakeClient = async (peer): Promise<Client> =>
  peer.transport === "stdio" ? { open: (onEvent) => pipes(peer, onEvent), end: async () => {} } : http(peer)

const pipes = async ({ args, command }: StdioPeer, onEvent = () => {}): Promise<Session> => {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
  const waiting = new Map<number, (message: Message) => void>()
  let parts: Array<string> = []
  child.stdout.setEncoding("utf8")
  child.stdout.on("data", (piece: string) => {
    let from = 0
    for (let at = piece.indexOf("\n"); at >= 0; at = piece.indexOf("\n", from)) {
      parts.push(piece.slice(from, at))
      from = at + 1
      const message: Message = JSON.parse(parts.length === 1 ? (parts[0] ?? "") : parts.join(""))
      parts = []
      if (message.id === undefined) onEvent()
      else take(message.id)(message)
    }
    if (from < piece.length) parts.push(piece.slice(from))
  })
  const take = (id: number) => {
    const settle = waiting.get(id)
    waiting.delete(id)
    return settle ?? (() => {})
  }
  let count = 0
  const send = (id: number, body: object) =>
    new Promise<Message>((resolve) => {
      waiting.set(id, resolve)
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`)
    })
  await send(++count, initialize)
  child.stdin.write(`${initialized}\n`)
  const call: Session["call"] = (prompt) => {
    const id = ++count
    return send(id, toolCall(prompt, id))
  }
  return {
    call,
    calls: oneByOne(call),
    close: () => {
      child.stdin.end()
      return once(child, "close")
    },
  }
}

const http = ({ url }: HttpPeer): Client => {
  const agent = new Agent({ keepAlive: true })
  const ask = (method: string, headers: Readonly<Record<string, string>>, body?: string) =>
    new Promise<{ readonly headers: IncomingHttpHeaders; readonly text: string }>((resolve, reject) => {
      const out = request(url, { method, agent, headers }, (response) => {
        let text = ""
        response.setEncoding("utf8")
        response.on("data", (piece: string) => {
          text += piece
        })
        response.on("end", () => resolve({ headers: response.headers, text }))
      })
      out.on("error", reject)
      out.end(body)
    })
  return {
    open: async (): Promise<Session> => {
      let count = 0
      const body = (content: object) => JSON.stringify({ jsonrpc: "2.0", id: ++count, ...content })
      const plain = { "content-type": "application/json", accept: "application/json, text/event-stream" }
      const opened = await ask("POST", plain, body(initialize))
      const headers = { ...plain, "mcp-session-id": String(opened.headers["mcp-session-id"]) }
      await ask("POST", headers, initialized)
      const call: Session["call"] = async (prompt) => {
        const { headers: answered, text } = await ask("POST", headers, body(toolCall(prompt)))
        return JSON.parse(answered["content-type"] === "text/event-stream" ? dataOf(text) : text)
      }
      return { call, calls: oneByOne(call), close: () => ask("DELETE", headers) }
    },
    end: async () => agent.destroy(),
  }
}

/** What the last event of a stream carries. */
const dataOf = (text: string): string => {
  const from = text.lastIndexOf("data: ") + "data: ".length
  return text.slice(from, text.indexOf("\n", from))
}
