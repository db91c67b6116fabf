/**
 * The loopback HTTP server under a fake agent: it reads bodies, and knows what is under way.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { text } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A request whose body has arrived, and the answer to it. `route` is its method and its path: `POST /mcp`. */
export interface Exchange {
  readonly route: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly header: (name: string) => string | undefined
  readonly body: string
  readonly response: ServerResponse
}

/**
 * - `origin`: where it listens
 * - `requests`: what is under way, once all that was given up on the other side is seen to be given up
 * - `connections`: what is connected, idle or not, once all that was closed on the other side is seen to be closed
 */
export interface Host {
  readonly origin: string
  readonly requests: Effect.Effect<ReadonlyArray<string>>
  readonly connections: Effect.Effect<ReadonlyArray<string>>
}

/** It ends only a wait for what does not end. It counts turns of this program, which a busy machine holds back as well. */
const safetyLimit = Effect.repeat(Effect.sleep(10), { times: 49 })

/**
 * Listens on a free port of 127.0.0.1 until the Scope ends.
 *
 * @param answer hears every request
 */
export const listen = Effect.fnUntraced(function* (
  answer: (exchange: Exchange) => void,
): Effect.fn.Return<Host, never, Scope.Scope> {
  const [connections, requests] = [roll(), roll()]
  // No connection is closed from here for being idle: that would race with a request.
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 })
  server.on("connection", (socket: Socket) => {
    socket.once("close", connections.enter(`connection from port ${socket.remotePort}`))
  })
  server.on("request", (request, response) => {
    response.once("close", requests.enter(`${request.method} ${request.url} under way`))
    void exchange(request, response).then(answer, () => {})
  })
  const port = yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      }),
  )
  return { origin: `http://127.0.0.1:${port}`, requests: requests.call, connections: connections.call }
})

/** Who is there. `enter` returns what takes a name off; `call` waits for an empty roll, and returns who is still on it. */
const roll = () => {
  const names = new Set<{ readonly name: string }>()
  let waiting: Array<() => void> = []
  const leave = (entry: { readonly name: string }) => {
    names.delete(entry)
    if (names.size > 0) return
    // Other listeners of this end run first.
    queueMicrotask(() => {
      for (const resolve of waiting) resolve()
      waiting = []
    })
  }
  const empty = Effect.callback<void>((resume) => {
    if (names.size === 0) resume(Effect.void)
    else waiting.push(() => resume(Effect.void))
  })
  return {
    enter: (name: string) => {
      const entry = { name }
      names.add(entry)
      return () => leave(entry)
    },
    call: Effect.map(Effect.raceFirst(empty, safetyLimit), () => [...names].map(({ name }) => name)),
  }
}

const exchange = async (request: IncomingMessage, response: ServerResponse): Promise<Exchange> => {
  response.on("error", () => {})
  const url = new URL(request.url ?? "/", "http://localhost")
  return {
    route: `${request.method} ${url.pathname}`,
    url,
    headers: request.headers,
    header: (name) => {
      const value = request.headers[name]
      return typeof value === "string" ? value : undefined
    },
    body: await text(request),
    response,
  }
}

/** Answers with a status, and what went wrong in JSON-RPC's words. */
export const refuse = ({ response }: Exchange, status: number, message: string): void => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message } }))
}

/** Answers that it was heard, and nothing more. */
export const accept = ({ response }: Exchange): void => {
  response.writeHead(202).end()
}

/** The value of a body of JSON; `undefined` for anything else. */
export const parse = ({ body }: Exchange): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/**
 * Begins to answer with events, at once.
 *
 * @returns sends one event
 */
export const openEvents = (
  { response }: Exchange,
  headers: Readonly<Record<string, string>> = {},
): ((event: string, data: string) => void) => {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", ...headers })
  response.flushHeaders()
  return (event, data) => void response.write(`event: ${event}\ndata: ${data}\n\n`)
}
