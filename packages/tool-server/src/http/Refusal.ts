/**
 * What a client is told whose request is not taken: a plain sentence as a JSON-RPC error.
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { RequestId } from "@modelcontextprotocol/sdk/types.js"
import * as JsonRpcMessage from "../JsonRpcMessage.ts"

/**
 * - `status`: of HTTP; `code`: of JSON-RPC
 * - `id`: of the request, where it is known
 * - `body`: what is sent as JSON, in place of an error of JSON-RPC
 */
export interface Refusal {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly id?: RequestId | null
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** What is still being sent of a refused request is thrown away for so long, in milliseconds, so that it can be read. */
const patience = 1_000

/** So much of a body is thrown away and the connection kept. */
const smallBody = 64 * 1024

/** A refusal of what the protocol has no code for. */
export const make = (status: number, message: string, headers?: Readonly<Record<string, string>>): Refusal => ({
  status,
  code: -32_000,
  message,
  ...(headers === undefined ? {} : { headers }),
})

/** As the SDK says it: there is no such session, or it is not this client's. */
export const noSession: Refusal = { status: 404, code: -32_001, message: "Session not found" }

/** The server takes nothing more. */
export const ending = make(503, "This server is about to end.", { Connection: "close" })

/** Tells the client, and ends the connection if the refusal says so, or if the client may have much more to say. */
export const send = (request: IncomingMessage, response: ServerResponse, refusal: Refusal): void => {
  const { headers, status } = refusal
  if (response.headersSent || response.destroyed) return
  const body = bodyOf(refusal)
  const isDone = request.complete || (isSmall(request) && headers?.["Connection"] !== "close")
  response.writeHead(status, {
    ...headers,
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    ...(isDone ? {} : { Connection: "close" }),
  })
  if (isDone) {
    response.end(body)
    return
  }
  // A connection that is closed while the client still writes is reset, and the answer may be lost with it.
  response.write(body)
  const timer = setTimeout(() => response.end(), patience)
  const over = () => {
    clearTimeout(timer)
    response.end()
  }
  request.once("end", over).once("close", over).resume()
}

/** Tells a client that wanted another protocol, and ends the connection. */
export const sendUpgrade = (socket: Socket, refusal: Refusal): void => {
  const body = bodyOf(refusal)
  const headers = {
    ...refusal.headers,
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const timer = setTimeout(() => socket.destroy(), patience)
  socket.once("close", () => clearTimeout(timer)).resume()
  socket.end([`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`, ...head, "", body].join("\r\n"))
}

const bodyOf = ({ body, code, id = null, message }: Refusal): string =>
  JSON.stringify(body ?? JsonRpcMessage.refusal({ code, message, id }))

const isSmall = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) <= smallBody
