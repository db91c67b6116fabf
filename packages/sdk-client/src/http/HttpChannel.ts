/**
 * Sends HTTP requests to one server, with the headers of its target. Open requests are aborted with the Scope.
 */
import type { InvalidRequest } from "@zain/core/McpError"
import * as FairReading from "@zain/process/FairReading"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Dispatcher } from "undici"
import type { HttpTarget } from "../McpWire.ts"
import { HttpPool } from "./HttpPool.ts"
import * as PromptLines from "./PromptLines.ts"
import type { StreamRefusal } from "./StreamRefusal.ts"

/** The headers of a response; a repeated header is a list. */
export type ResponseHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Why no complete response was received. */
export interface HttpProblem {
  /** The code of Node, OpenSSL or undici, such as `ECONNRESET`. */
  readonly code: string
  /** True if the server may have received the request. */
  readonly sent: boolean
  /** True if the response had begun. */
  readonly begun: boolean
  /** The HTTP status with which a proxy rejected the connection. */
  readonly proxyStatus?: number
  /** True if the server answered a request without TLS with TLS. */
  readonly isTls?: boolean
}

/** Receives a response. Exactly one of `end`, `failed` and `aborted` is called, last. */
export interface ResponseListener {
  readonly head: (status: number, headers: ResponseHeaders) => void
  readonly data: (chunk: Buffer) => void
  readonly end: () => void
  readonly failed: (problem: HttpProblem) => void
  /** Called when this client gave the request up. */
  readonly aborted: () => void
}

/** A request to the target's origin. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE"
  /** A URL of the target's origin. */
  readonly url: URL
  readonly headers: ReadonlyArray<string>
  readonly body?: string
  /**
   * True if the request must not be executed twice. Any other request is repeated once if its connection ends before the
   * first byte of the response, because the server may have closed an idle connection at the moment of sending.
   */
  readonly once?: boolean
  /** How long the server may send nothing, in milliseconds; unlimited by default. */
  readonly limit?: number
}

/** The connections to one server. */
export interface HttpChannel {
  /** Sends a request. Returns a function that aborts it and closes its connection. */
  readonly start: (request: HttpRequest, listener: ResponseListener) => () => void
  /** Returns a channel whose requests have a connection of their own, and what lets the program end although it is open. */
  readonly alone: () => Pick<HttpChannel, "start"> & { readonly unref: () => void }
  /** Which server of the origin does not offer a stream of its own. */
  readonly refusal: StreamRefusal
}

/** Makes a channel to the origin of the target. */
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
    refusal: origin.refusal,
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
    alone: () => {
      const { destroy, dispatcher, unref } = origin.alone()
      return {
        unref,
        start: (request, listener) => send({ dispatcher, free: () => void destroy() }, request, listener),
      }
    },
  }
})

/** Whether the connection ended in the way of an idle connection that the server closes. */
const isUnanswered = ({ begun, code, sent }: HttpProblem) =>
  sent && !begun && (code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE")

/** The first bytes of a TLS alert or handshake record. */
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
      // Informational responses (1xx) precede the real one.
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
