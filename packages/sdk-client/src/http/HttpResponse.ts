/**
 * Classifies a server's HTTP response before its body is read as messages.
 */
import type { McpError } from "@zain/core/McpError"
import { isRecord } from "@zain/process/JsonRpc"
import * as JsonText from "@zain/process/JsonText"
import type { Redactor } from "@zain/process/Redactor"
import * as Failure from "../Failure.ts"
import type { HttpChannel, HttpProblem, HttpRequest, ResponseHeaders } from "./HttpChannel.ts"

/** Receives the body of a response. Exactly one of `end`, `failed` and `aborted` is called, last. */
export interface BodyReader {
  /** Receives the next bytes. */
  readonly data: (chunk: Buffer) => void
  /** Called when the body is complete. */
  readonly end: () => void
  /** Called when the body breaks off. If omitted, `ReplyListener.failed` is called instead. */
  readonly failed?: () => void
  /** Called when this client gave the response up. */
  readonly aborted?: () => void
}

/** A response with an HTTP status of 300 or above. */
export interface HttpRefusal extends Failure.Refusal {
  /** The `Retry-After` header, in milliseconds. */
  readonly retryAfter?: number
  /** True if the server's message says that it requires TLS. */
  readonly isTls?: boolean
}

/** Receives the outcome of one request; exactly one member is called. */
export interface ReplyListener {
  /** Called for a status below 300; returns the reader of the body. `giveUp` ends the response early. */
  readonly accepted: (status: number, headers: ResponseHeaders, giveUp: () => void) => BodyReader
  /** Called for any other status, with the beginning of the body. */
  readonly refused: (refusal: HttpRefusal) => void
  /** Called when no complete response was received. */
  readonly failed: (problem: HttpProblem) => void
}

/** Discards the body. */
export const ignored: BodyReader = { data: () => {}, end: () => {} }

/** How much of an error response is read, in bytes, and for how long, in milliseconds. */
const maxErrorBytes = 64 * 1024
const saidWait = 200

/**
 * Discards a body, within the limits of an error response.
 *
 * @param over called when the connection is free or closed
 */
export const brief = (giveUp: () => void, over: () => void): BodyReader => {
  const timer = setTimeout(giveUp, saidWait)
  let size = 0
  const end = () => {
    clearTimeout(timer)
    over()
  }
  return {
    data: (chunk) => {
      size += chunk.length
      if (size > maxErrorBytes) giveUp()
    },
    end,
    failed: end,
    aborted: end,
  }
}

/**
 * Sends a request and reports its outcome to the listener.
 *
 * @param redact removes secrets from the server's message
 * @returns a function that gives the request up
 */
export const exchange = (
  channel: Pick<HttpChannel, "start">,
  request: HttpRequest,
  redact: Redactor,
  listener: ReplyListener,
) => {
  let reader: BodyReader = ignored
  let abort = () => {}
  const giveUp = () => abort()

  const refuse = (status: number, headers: ResponseHeaders): BodyReader => {
    const chunks: Array<Buffer> = []
    let size = 0
    const settle = () => {
      clearTimeout(timer)
      const body = Buffer.concat(chunks).toString("utf8").slice(0, maxErrorBytes)
      const said = wordsOf(body, headers, redact)
      const retryAfter = retryAfterOf(headers)
      const isTls = status === 400 && wantsTls.test(body)
      listener.refused({ status, said, isTls, ...(retryAfter === undefined ? {} : { retryAfter }) })
    }
    const enough = () => {
      giveUp()
      settle()
    }
    const timer = setTimeout(enough, saidWait)
    return {
      data: (chunk) => {
        chunks.push(chunk)
        size += chunk.length
        if (size >= maxErrorBytes) enough()
      },
      end: settle,
      failed: settle,
      aborted: () => clearTimeout(timer),
    }
  }

  abort = channel.start(request, {
    head: (status, headers) => {
      reader = status < 300 ? listener.accepted(status, headers, giveUp) : refuse(status, headers)
    },
    data: (chunk) => reader.data(chunk),
    end: () => reader.end(),
    failed: (problem) => (reader.failed === undefined ? listener.failed(problem) : reader.failed()),
    aborted: () => reader.aborted?.(),
  })
  return giveUp
}

/** The value of a header; `undefined` if it is absent or repeated. */
export const headerOf = (headers: ResponseHeaders, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" ? value : undefined
}

/** The media type of a body, without its parameters. */
export const typeOf = (headers: ResponseHeaders): string =>
  (headerOf(headers, "content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""

/** The types that a message quotes; any other is server-controlled text. */
const shownTypes: ReadonlySet<string> = new Set(["text/html", "text/plain"])

/** Describes the body of a response that has no message. */
export const insteadOf = (headers: ResponseHeaders): string => {
  const type = typeOf(headers)
  return shownTypes.has(type) ? `${type}, not a message` : "no message"
}

/** The violation of a compressed response; every request sends `accept-encoding: identity`. */
export const compression = (headers: ResponseHeaders): string | undefined => {
  const encoding = headerOf(headers, "content-encoding")
  return encoding === undefined || encoding === "identity"
    ? undefined
    : "its response is compressed, although the request accepts no compression"
}

/** The answers of nginx, Apache and Go's servers to a request without TLS on a TLS port. */
const wantsTls = /plain HTTP (request was sent )?to|HTTP request to an HTTPS server/

const shown = 300

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const unprintable = /[\u0000-\u001f\u007f-\u009f]+/g

/** The message of a JSON-RPC error or of a plain text body; empty for HTML and other types. */
const wordsOf = (body: string, headers: ResponseHeaders, redact: Redactor): string => {
  const type = typeOf(headers)
  const words = type === "application/json" ? errorMessage(body) : type === "text/plain" ? body : ""
  return redact(redact(words).replace(unprintable, " ")).trim().slice(0, shown).toWellFormed()
}

const errorMessage = (body: string): string => {
  try {
    const value = JsonText.read(body)
    const error = isRecord(value) ? (value["error"] ?? value["message"]) : value
    const message = isRecord(error) ? error["message"] : error
    return typeof message === "string" ? message : ""
  } catch {
    return ""
  }
}

const retryAfterOf = (headers: ResponseHeaders): number | undefined => {
  const value = headerOf(headers, "retry-after")?.trim()
  if (value === undefined || value === "") return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  // `Date.parse` reads an invalid number as a year.
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** The stage of a session: before its handshake, open with a session id, or open without one. */
export type Stage = "opening" | "session" | "no-session"

/** The error of an HTTP error response. Its `delivery` is `not-sent` for every status below 500. */
export const refusalError = (server: string, refusal: HttpRefusal, stage: Stage): McpError => {
  const { retryAfter, status } = refusal
  const about = (delivery: "not-sent" | "unknown"): Failure.About => ({
    server,
    delivery,
    diagnostics: { httpStatus: status, ...(retryAfter === undefined ? {} : { retryAfter }) },
  })
  if (status === 401 || status === 403 || status === 407) return Failure.unauthorized(about("not-sent"), refusal)
  if (status === 429) return Failure.rateLimited(about("not-sent"), refusal)
  if (status >= 500) return Failure.serverFailed(about("unknown"), refusal)
  if (stage === "opening") {
    if (refusal.isTls === true) return Failure.speaksTls(about("not-sent"))
    const words = refusal.said === "" ? "" : ` (${refusal.said.replace(/\.$/, "")})`
    const why = isRedirect(status) ? `it ${redirects(status)}` : `it answers HTTP ${status}${words}`
    return Failure.notAnMcpServer(about("not-sent"), why)
  }
  if (isRedirect(status)) {
    return Failure.protocolViolation(about("not-sent"), `it ${redirects(status)}`, "Use the URL that it redirects to.")
  }
  if (stage === "session" && (status === 404 || status === 410)) {
    return Failure.sessionExpired(about("not-sent"), refusal)
  }
  return Failure.refused(about("not-sent"), refusal)
}

const redirects = (status: number) => `redirects (HTTP ${status}), and redirects are not followed`

const isRedirect = (status: number) => status >= 300 && status < 400

/** Whether a response is not valid HTTP, by the error codes of Node's parser and undici. */
const isMalformed = ({ begun, code }: HttpProblem) =>
  /^(HPE_|HTTPParserError$|UND_ERR_HEADERS_OVERFLOW$)/.test(code) ||
  (!begun && code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH")

/** The error of a request without a complete response. */
export const problemError = (server: string, problem: HttpProblem, stage: Stage): McpError => {
  const { begun, code, proxyStatus, sent } = problem
  const about: Failure.About = { server, delivery: sent ? "unknown" : "not-sent", cause: Failure.underlying(code) }
  if (proxyStatus !== undefined) {
    const diagnostics = { httpStatus: proxyStatus }
    return Failure.proxyRefused({ ...about, delivery: "not-sent", diagnostics }, proxyStatus)
  }
  if (!sent || (!begun && Failure.isTlsAlert(code)))
    return Failure.unreachable({ ...about, delivery: "not-sent" }, code)
  if (!begun && problem.isTls === true) return Failure.speaksTls({ ...about, delivery: "not-sent" })
  if (!isMalformed(problem)) {
    return stage === "opening" && !begun ? Failure.hungUp(about) : Failure.connectionLost(about)
  }
  return violation(about, `its response is not valid HTTP (${code})`, stage)
}

/** The error of a response that no MCP server sends: `not-an-mcp-server` during the handshake, else `protocol-violation`. */
export const violation = (about: Failure.About, what: string, stage: Stage): McpError =>
  stage === "opening" ? Failure.notAnMcpServer(about, what) : Failure.protocolViolation(about, what)
