/**
 * The response to a rejected request: one sentence as a JSON-RPC error.
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { RequestId } from "@modelcontextprotocol/sdk/types.js"
import * as JsonText from "@zain/process/JsonText"
import * as JsonRpcMessage from "../JsonRpcMessage.ts"

/** The response to a rejected request. */
export interface Refusal {
  /** The HTTP status. */
  readonly status: number
  /** The JSON-RPC code. */
  readonly code: number
  /** One sentence for people. */
  readonly message: string
  /** The id of the request, if it is known. */
  readonly id?: RequestId | null
  readonly headers?: Readonly<Record<string, string>>
  /** The JSON body to send instead of a JSON-RPC error. */
  readonly body?: unknown
}

/** How long the rest of a rejected request is discarded, in milliseconds, so that the client reads the response. */
const patience = 1_000

/** A body of at most so many bytes is discarded and the connection kept. */
const smallBody = 64 * 1024

/** Makes a refusal with the general code -32000. */
export const make = (status: number, message: string, headers?: Readonly<Record<string, string>>): Refusal => ({
  status,
  code: -32_000,
  message,
  ...(headers === undefined ? {} : { headers }),
})

/** The refusal for a session that does not exist or belongs to another client, with the SDK's message. */
export const noSession: Refusal = { status: 404, code: -32_001, message: "Session not found" }

/** The refusal of a server that shuts down. */
export const ending = make(503, "This server is shutting down.", { Connection: "close" })

/** Sends a refusal; closes the connection if the refusal has that header, or if much of the request is unread. */
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
  // Closing a connection while the client still writes resets it, and the client may lose the response.
  response.write(body)
  const timer = setTimeout(() => response.end(), patience)
  const over = () => {
    clearTimeout(timer)
    response.end()
  }
  request.once("end", over).once("close", over).resume()
}

/** Rejects an upgrade, and closes the connection. */
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
  JsonText.write(body ?? JsonRpcMessage.refusal({ code, message, id }))

const isSmall = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) <= smallBody
