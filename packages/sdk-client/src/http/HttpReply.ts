/**
 * What a server's reply means, before anybody reads a message in it.
 */
import type { McpError } from "@zain/core/McpError"
import * as Failure from "../Failure.ts"
import { isRecord } from "../JsonRpc.ts"
import type { Redactor } from "../Redactor.ts"
import type { HttpProblem, ResponseHeaders, ResponseListener } from "./HttpChannel.ts"

/** Reads the body of a reply that was accepted. */
export interface BodyReader {
  readonly data: (chunk: Buffer) => void
  readonly end: () => void
}

/** A status that is no success. `said`: the server's own words. `retryAfter`: in milliseconds. */
export interface HttpRefusal extends Failure.Refusal {
  readonly retryAfter?: number
}

/**
 * - `accepted`: a status of success; says who reads the body
 * - `refused`: any other status, with the beginning of its body
 * - `failed`: no whole reply came
 */
export interface ReplyListener {
  readonly accepted: (status: number, headers: ResponseHeaders) => BodyReader
  readonly refused: (refusal: HttpRefusal) => void
  readonly failed: (problem: HttpProblem) => void
}

/** Reads nothing. */
export const ignored: BodyReader = { data: () => {}, end: () => {} }

/** Reads nothing of interest, and not much of it. */
export const brief = (giveUp: () => void): BodyReader => {
  let size = 0
  return {
    data: (chunk) => {
      size += chunk.length
      if (size > saidLimit) giveUp()
    },
    end: () => {},
  }
}

/** How much of a refusal is read, in bytes, and how long its words are waited for, in milliseconds. */
const saidLimit = 64 * 1024
const saidWait = 200

/**
 * @param redact takes secrets out of what the server says
 * @param giveUp ends the exchange: enough was read
 */
export const make = (listener: ReplyListener, redact: Redactor, giveUp: () => void): ResponseListener => {
  let reader: BodyReader = ignored
  let failed = listener.failed
  let aborted = () => {}

  const refuse = (status: number, headers: ResponseHeaders) => {
    const chunks: Array<Buffer> = []
    let size = 0
    const settle = () => {
      clearTimeout(timer)
      const said = wordsOf(Buffer.concat(chunks).toString("utf8").slice(0, saidLimit), headers, redact)
      const retryAfter = retryAfterOf(headers)
      listener.refused({ status, said, ...(retryAfter === undefined ? {} : { retryAfter }) })
    }
    const enough = () => {
      giveUp()
      settle()
    }
    const timer = setTimeout(enough, saidWait)
    failed = settle
    aborted = () => clearTimeout(timer)
    reader = {
      data: (chunk) => {
        chunks.push(chunk)
        size += chunk.length
        if (size >= saidLimit) enough()
      },
      end: settle,
    }
  }

  return {
    head: (status, headers) => {
      if (status >= 200 && status < 300) reader = listener.accepted(status, headers)
      else refuse(status, headers)
    },
    data: (chunk) => reader.data(chunk),
    end: () => reader.end(),
    failed: (problem) => failed(problem),
    aborted: () => aborted(),
  }
}

/** One header as text; a header that came twice is none. */
export const headerOf = (headers: ResponseHeaders, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" ? value : undefined
}

/** The media type of a body, without its parameters. */
export const typeOf = (headers: ResponseHeaders): string =>
  (headerOf(headers, "content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""

/** What is wrong with a body that is compressed, though every request asks that it is not. */
export const compression = (headers: ResponseHeaders): string | undefined => {
  const encoding = headerOf(headers, "content-encoding")
  return encoding === undefined || encoding === "identity" ? undefined : "its reply is compressed, though it may not be"
}

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
  const date = Date.parse(value)
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
    const words = refusal.said === "" ? "" : `, ${refusal.said}`
    const why = isRedirect(status)
      ? "it redirects, and redirects are not followed"
      : `it answers HTTP ${status}${words}`
    return Failure.notAnMcpServer(about("not-sent"), why)
  }
  if (isRedirect(status)) {
    return Failure.protocolViolation(about("not-sent"), `it redirects (HTTP ${status}), and redirects are not followed`)
  }
  if (stage === "session" && (status === 404 || status === 410)) {
    return Failure.sessionExpired(about("not-sent"), refusal)
  }
  return Failure.refused(about("not-sent"), refusal)
}

const isRedirect = (status: number) => status >= 300 && status < 400

/** Whether a reply breaks the rules of HTTP itself, as Node's parser and undici call it. */
const isMalformed = ({ begun, code }: HttpProblem) =>
  /^(HPE_|HTTPParserError$|UND_ERR_HEADERS_OVERFLOW$)/.test(code) ||
  (!begun && code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH")

/** An exchange that broke, as an error. */
export const problemError = (server: string, problem: HttpProblem, stage: Stage): McpError => {
  const { code, sent } = problem
  const about: Failure.About = { server, delivery: sent ? "unknown" : "not-sent", cause: new Error(code) }
  if (!sent) return Failure.unreachable(about, code)
  if (!isMalformed(problem)) return Failure.connectionLost(about)
  const what = `its reply is not HTTP (${code})`
  return stage === "opening" ? Failure.notAnMcpServer(about, what) : Failure.protocolViolation(about, what)
}
