/**
 * The loopback HTTP server under a fake agent: it reads bodies, and tracks open requests and connections.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { text } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A request whose body has arrived, and its response. `route` is method and path, such as `POST /mcp`. */
export interface Exchange {
  readonly route: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly header: (name: string) => string | undefined
  readonly body: string
  readonly response: ServerResponse
}

/**
 * - `origin`: the address
 * - `requests`: the open requests, after each one that the client gave up has been removed
 * - `connections`: the open connections, idle or not, after each one that the client closed has been removed
 */
export interface Host {
  readonly origin: string
  readonly requests: Effect.Effect<ReadonlyArray<string>>
  readonly connections: Effect.Effect<ReadonlyArray<string>>
}

/** Ends a wait for what does not end. It counts sleeps of this process, which take longer on a busy machine too. */
const safetyTimeout = Effect.repeat(Effect.sleep(10), { times: 49 })

/**
 * Listens on a free port of 127.0.0.1 until the Scope ends.
 *
 * @param answer receives every request
 */
export const listen = Effect.fnUntraced(function* (
  answer: (exchange: Exchange) => void,
): Effect.fn.Return<Host, never, Scope.Scope> {
  const [connections, requests] = [roll(), roll()]
  // Closing idle connections would race with a request.
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

/** A list of names. `enter` adds one and returns the function that removes it; `call` waits until the list is empty, and returns the names that remain at the limit. */
const roll = () => {
  const names = new Set<{ readonly name: string }>()
  let waiting: Array<() => void> = []
  const leave = (entry: { readonly name: string }) => {
    names.delete(entry)
    if (names.size > 0) return
    // After the other listeners of this event.
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
    call: Effect.map(Effect.raceFirst(empty, safetyTimeout), () => [...names].map(({ name }) => name)),
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

/** Responds with a status and a JSON-RPC error. */
export const refuse = ({ response }: Exchange, status: number, message: string): void => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message } }))
}

/** Responds with 202 and no body. */
export const accept = ({ response }: Exchange): void => {
  response.writeHead(202).end()
}

/** The value of a JSON body; `undefined` for any other body. */
export const parse = ({ body }: Exchange): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/**
 * Starts a response of server-sent events, and sends its headers immediately.
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
