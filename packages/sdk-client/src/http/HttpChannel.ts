/**
 * Requests to one server, with what every one of them carries. Whatever is under way ends with the Scope.
 */
import type { InvalidRequest } from "@zain/core/McpError"
import * as FairReading from "@zain/process/FairReading"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Dispatcher } from "undici"
import type { HttpTarget } from "../McpWire.ts"
import { HttpPool } from "./HttpPool.ts"
import * as PromptLines from "./PromptLines.ts"

export type ResponseHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/**
 * Why there was no whole response. `sent`: whether the server may have seen the request. `begun`: whether the response
 * had begun. `proxyStatus`: what a proxy on the way answered instead. `isTls`: the other side spoke TLS, and we did not.
 */
export interface HttpProblem {
  readonly code: string
  readonly sent: boolean
  readonly begun: boolean
  readonly proxyStatus?: number
  readonly isTls?: boolean
}

/** Hears a response. One of `end`, `failed` and `aborted` is the last it hears; the last of them is our own doing. */
export interface ResponseListener {
  readonly head: (status: number, headers: ResponseHeaders) => void
  readonly data: (chunk: Buffer) => void
  readonly end: () => void
  readonly failed: (problem: HttpProblem) => void
  readonly aborted: () => void
}

/**
 * - `url`: where to, always of the target's origin
 * - `once`: it must not be worked on twice. Any other request is sent again, once, when its connection ends before a
 *   byte of the response: the server may have ended an idle connection in the very moment in which it was sent
 * - `limit`: the longest silence of the server, in milliseconds; none by default
 */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE"
  readonly url: URL
  readonly headers: ReadonlyArray<string>
  readonly body?: string
  readonly once?: boolean
  readonly limit?: number
}

/** `start`: sends a request; what it returns gives it up, and its connection with it. */
export interface HttpChannel {
  readonly start: (request: HttpRequest, listener: ResponseListener) => () => void
}

/** A channel to the origin of the target. */
export const make = Effect.fnUntraced(function* (
  target: HttpTarget,
): Effect.fn.Return<HttpChannel, InvalidRequest, Scope.Scope | HttpPool> {
  const origin = yield* (yield* HttpPool).lease(new URL(target.url), target.tls)
  const lines = PromptLines.make(origin)
  const shared: PromptLines.Line = { dispatcher: origin.shared.dispatcher, free: () => {} }
  const given = Object.entries(target.headers).flat()
  const underWay = new Set<() => void>()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const abort of underWay) abort()
      lines.end()
    }),
  )
  const send = (line: PromptLines.Line, request: HttpRequest, listener: ResponseListener): (() => void) => {
    const { body, headers, limit = 0, method, url } = request
    const exchange = begin(listener, () => {
      underWay.delete(exchange.abort)
      line.free()
    })
    underWay.add(exchange.abort)
    line.dispatcher.dispatch(
      {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method,
        headers: [...headers, ...given],
        bodyTimeout: limit,
        headersTimeout: limit,
        ...(body === undefined ? {} : { body }),
      },
      exchange.handler,
    )
    return exchange.abort
  }
  return {
    start: (request, listener) => {
      if (request.once === true) return send(lines.take(), request, listener)
      let abort = send(shared, request, {
        ...listener,
        failed: (problem) => {
          if (isUnanswered(problem)) abort = send(lines.other(), request, listener)
          else listener.failed(problem)
        },
      })
      return () => abort()
    },
  }
})

/** Whether a connection has ended as an idle one ends. */
const isUnanswered = ({ begun, code, sent }: HttpProblem) =>
  sent && !begun && (code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE")

/** An alert, or a handshake. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what TLS begins with
const tlsRecord = /^[\u0015\u0016]\u0003/

const begin = (listener: ResponseListener, over: () => void) => {
  let controller: Dispatcher.DispatchController | undefined
  let read = listener.data
  let begun = false
  let done = false
  const finish = () => {
    done = true
    over()
  }
  const abort = () => {
    if (done) return
    finish()
    controller?.abort(new Error("given up"))
    listener.aborted()
  }
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (started) => {
      controller = started
      if (done) started.abort(new Error("given up"))
      else read = FairReading.make(started, listener.data)
    },
    onResponseStart: (_, status, headers) => {
      // An early hint, or word that it works on it, says nothing of the reply yet.
      if (status < 200) return
      begun = true
      if (!done) listener.head(status, headers)
    },
    onResponseData: (_, chunk) => {
      if (!done) read(chunk)
    },
    onResponseEnd: () => {
      if (done) return
      finish()
      listener.end()
    },
    onResponseError: (_, error) => {
      if (done) return
      finish()
      const code = (error as NodeJS.ErrnoException).code ?? error.name
      const proxy = /^Proxy .*\((\d{3})\)/.exec(error.message)?.[1]
      const proxyStatus = proxy === undefined ? {} : { proxyStatus: Number(proxy) }
      const isTls = "data" in error && tlsRecord.test(String(error.data))
      listener.failed({ code, sent: controller !== undefined, begun, isTls, ...proxyStatus })
    },
  }
  return { abort, handler }
}
