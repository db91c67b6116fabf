/**
 * An HTTP client that sends any bytes over its own connections.
 */
import * as http from "node:http"
import type * as net from "node:net"
import { Readable } from "node:stream"
import * as Effect from "effect/Effect"
import { soon } from "./Running.ts"

/** `hear`: receives the response's text piece by piece. */
export interface Asked {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly body?: string | Buffer
  readonly hear?: (piece: string) => void
}

export interface Reply {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

/**
 * A response whose headers have arrived. Its waits fail after ten seconds.
 *
 * - `text`: the body received so far
 * - `until`: waits until the body contains a text, and returns the body
 * - `ended`: waits for the end of the body
 * - `response`: Node's response
 */
export interface Stream extends Omit<Reply, "text"> {
  readonly text: () => string
  readonly until: (part: string) => Effect.Effect<string>
  readonly ended: Effect.Effect<string>
  readonly isOver: () => boolean
  readonly response: Readable
}

/** `vanish`: resets every connection, as the kernel does for a killed process. */
export interface RawHttp {
  readonly url: string
  readonly open: (asked: Asked) => Effect.Effect<Stream>
  readonly send: (asked: Asked) => Effect.Effect<Reply>
  readonly vanish: () => void
}

export const json = { "content-type": "application/json", accept: "application/json, text/event-stream" }

export const make = (url: string) =>
  Effect.acquireRelease(
    Effect.sync((): RawHttp => {
      const sockets = new Set<net.Socket>()
      const agent = new http.Agent({ keepAlive: true })
      const open = ({ body, headers = {}, hear, method, path }: Asked) =>
        Effect.callback<Stream>((resume) => {
          const to = new URL(url)
          const request = http.request({
            agent,
            host: to.hostname.replace(/[[\]]/g, ""),
            port: to.port,
            method: method ?? (body === undefined ? "GET" : "POST"),
            path: path ?? to.pathname,
            headers: headers as http.OutgoingHttpHeaders,
          })
          request.on("socket", (socket) => {
            if (sockets.has(socket)) return
            sockets.add(socket)
            socket.once("close", () => sockets.delete(socket))
          })
          request.on("response", (response) => resume(Effect.succeed(streamOf(response, hear))))
          // A server may answer before it has read the whole request.
          request.on("error", (error) => {
            const status = 0
            resume(Effect.succeed({ ...none, status, headers: {}, text: () => String(error) }))
          })
          request.end(body)
        })
      return {
        url,
        open,
        send: (asked) =>
          Effect.flatMap(open(asked), (stream) =>
            Effect.map(stream.ended, (text) => ({ status: stream.status, headers: stream.headers, text })),
          ),
        vanish: () => {
          agent.destroy()
          for (const socket of sockets) socket.resetAndDestroy()
        },
      }
    }),
    (client) => Effect.sync(client.vanish),
  )

const none = {
  until: () => Effect.never,
  ended: Effect.succeed(""),
  isOver: () => true,
  response: Readable.from([]),
}

const streamOf = (response: http.IncomingMessage, hear?: (piece: string) => void): Stream => {
  let text = ""
  let isOver = false
  const watchers = new Set<() => void>()
  const changed = () => {
    for (const watcher of [...watchers]) watcher()
  }
  response.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk
    hear?.(chunk)
    changed()
  })
  response.on("error", () => {})
  response.on("close", () => {
    isOver = true
    changed()
  })
  const wait = (isReady: () => boolean) =>
    soon(
      Effect.callback<string>((resume) => {
        const look = () => {
          if (!isReady()) return
          watchers.delete(look)
          resume(Effect.succeed(text))
        }
        watchers.add(look)
        look()
        return Effect.sync(() => watchers.delete(look))
      }),
    )
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    until: (part) => wait(() => text.includes(part)),
    ended: wait(() => isOver),
    isOver: () => isOver,
    response,
  }
}
