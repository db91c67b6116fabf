/**
 * What a server's reply means, before anybody reads a message in it.
 */
import type { McpError } from "@zain/core/McpError"
import { isRecord } from "@zain/process/JsonRpc"
import type { Redactor } from "@zain/process/Redactor"
import * as Failure from "../Failure.ts"
import type { HttpChannel, HttpProblem, HttpRequest, ResponseHeaders } from "./HttpChannel.ts"

/** Reads the body of a reply. One of `end`, `failed` and `aborted` is the last it hears. */
export interface BodyReader {
  readonly data: (chunk: Buffer) => void
  readonly end: () => void
  /** The body broke off. Without it, whoever reads the reply hears of it. */
  readonly failed?: () => void
  readonly aborted?: () => void
}

/**
 * A status that is no success. `said`: the server's own words. `retryAfter`: in milliseconds. `isTls`: it wants TLS, as it
 * says itself.
 */
export interface HttpRefusal extends Failure.Refusal {
  readonly retryAfter?: number
  readonly isTls?: boolean
}

/**
 * - `accepted`: a status of success; says who reads the body, and can give up what is left of it
 * - `refused`: any other status, with the beginning of its body
 * - `failed`: no whole reply came
 */
export interface ReplyListener {
  readonly accepted: (status: number, headers: ResponseHeaders, giveUp: () => void) => BodyReader
  readonly refused: (refusal: HttpRefusal) => void
  readonly failed: (problem: HttpProblem) => void
}

/** Reads nothing. */
export const ignored: BodyReader = { data: () => {}, end: () => {} }

/** How much of a refusal is read, in bytes, and how long its words are waited for, in milliseconds. */
const saidLimit = 64 * 1024
const saidWait = 200

/**
 * Reads nothing of interest, not much of it and not for long.
 *
 * @param over hears that the connection is free, or given up
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
      if (size > saidLimit) giveUp()
    },
    end,
    failed: end,
    aborted: end,
  }
}

/**
 * Sends a request, and hears its reply.
 *
 * @param redact takes secrets out of what the server says
 * @returns gives it up
 */
export const exchange = (channel: HttpChannel, request: HttpRequest, redact: Redactor, listener: ReplyListener) => {
  let reader: BodyReader = ignored
  let abort = () => {}
  const giveUp = () => abort()

  const refuse = (status: number, headers: ResponseHeaders): BodyReader => {
    const chunks: Array<Buffer> = []
    let size = 0
    const settle = () => {
      clearTimeout(timer)
      const body = Buffer.concat(chunks).toString("utf8").slice(0, saidLimit)
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
        if (size >= saidLimit) enough()
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

/** One header as text; a header that came twice is none. */
export const headerOf = (headers: ResponseHeaders, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" ? value : undefined
}

/** The media type of a body, without its parameters. */
export const typeOf = (headers: ResponseHeaders): string =>
  (headerOf(headers, "content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""

/** What may be shown of a type: another one may say anything. */
const shownTypes: ReadonlySet<string> = new Set(["text/html", "text/plain"])

/** What came in place of a message. */
export const insteadOf = (headers: ResponseHeaders): string => {
  const type = typeOf(headers)
  return shownTypes.has(type) ? `${type}, not a message` : "no message"
}

/** What is wrong with a body that is compressed, though every request asks that it is not. */
export const compression = (headers: ResponseHeaders): string | undefined => {
  const encoding = headerOf(headers, "content-encoding")
  return encoding === undefined || encoding === "identity" ? undefined : "its reply is compressed, though it may not be"
}

/** How nginx, Apache and Go's servers answer a request without TLS at a port with it. */
const wantsTls = /plain HTTP (request was sent )?to|HTTP request to an HTTPS server/

const shown = 300

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const unprintable = /[\u0000-\u001f\u007f-\u009f]+/g

/** The words of a JSON-RPC error or of a plain text. A page for people is no message. */
const wordsOf = (body: string, headers: ResponseHeaders, redact: Redactor): string => {
  const type = typeOf(headers)
  const words = type === "application/json" ? errorMessage(body) : type === "text/plain" ? body : ""
  return redact(redact(words).replace(unprintable, " ")).trim().slice(0, shown).toWellFormed()
}

const errorMessage = (body: string): string => {
  try {
    const value: unknown = JSON.parse(body)
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
  // A number that is none would be read as a year.
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** Where a conversation with a server stands: its session is not there yet, or there, or there without an id. */
export type Stage = "opening" | "session" | "no-session"

/** A refused request, as an error. What the server did not take up is `not-sent`. */
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
    const words = refusal.said === "" ? "" : `, ${refusal.said}`
    const why = isRedirect(status) ? `it ${redirects(status)}` : `it answers HTTP ${status}${words}`
    return Failure.notAnMcpServer(about("not-sent"), why)
  }
  if (isRedirect(status)) {
    return Failure.protocolViolation(
      about("not-sent"),
      `it ${redirects(status)}`,
      "Configure the URL that it leads to.",
    )
  }
  if (stage === "session" && (status === 404 || status === 410)) {
    return Failure.sessionExpired(about("not-sent"), refusal)
  }
  return Failure.refused(about("not-sent"), refusal)
}

const redirects = (status: number) => `redirects (HTTP ${status}), and redirects are not followed`

const isRedirect = (status: number) => status >= 300 && status < 400

/** Whether a reply breaks the rules of HTTP itself, as Node's parser and undici call it. */
const isMalformed = ({ begun, code }: HttpProblem) =>
  /^(HPE_|HTTPParserError$|UND_ERR_HEADERS_OVERFLOW$)/.test(code) ||
  (!begun && code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH")

/** An exchange that broke, as an error. */
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
  return violation(about, `its reply is not HTTP (${code})`, stage)
}

/** A reply that no MCP server gives: from one that was never known to be one, or from one that was. */
export const violation = (about: Failure.About, what: string, stage: Stage): McpError =>
  stage === "opening" ? Failure.notAnMcpServer(about, what) : Failure.protocolViolation(about, what)
