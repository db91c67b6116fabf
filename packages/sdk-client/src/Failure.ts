/**
 * What went wrong, as one of the four errors. With `stdio/ExitFailure` the only module that knows how a failure of a
 * process, a wire or the SDK is called in the port.
 */
import {
  amended,
  ConnectionUnavailable,
  type ConnectionUnavailableReason,
  clip,
  InvalidRequest,
  invalidConfig,
  type McpDelivery,
  type McpDiagnostics,
  type McpError,
  SessionClosed,
} from "@zain/core/McpError"
import * as JsonBounds from "@zain/process/JsonBounds"
import type { ProcessError } from "@zain/process/ProcessError"
import type { Redactor } from "@zain/process/Redactor"
import * as StderrTail from "@zain/process/StderrTail"
import * as Duration from "effect/Duration"

/** What a failure is about. */
export interface About {
  /** What the message calls the server: its command, or its URL. */
  readonly server: string
  readonly delivery: McpDelivery
  readonly diagnostics?: McpDiagnostics
  readonly cause?: unknown
}

export const unavailable = (reason: ConnectionUnavailableReason, message: string, about: About) =>
  new ConnectionUnavailable({
    reason,
    message: clip(message),
    delivery: about.delivery,
    ...(about.diagnostics === undefined ? {} : { diagnostics: about.diagnostics }),
    ...(about.cause === undefined ? {} : { cause: about.cause }),
  })

/** The end of the server's standard error, as the end of a message. */
export const lastWords = (about: About): string => StderrTail.lastWords(about.diagnostics?.stderrTail)

/** A process or its private directory could not be made: no prompt was sent. */
export const startFailed = ({ code, message }: ProcessError): ConnectionUnavailable =>
  unavailable("spawn-failed", message, { server: "", delivery: "not-sent", cause: underlying(code) })

/** What lay underneath, by its code alone: where in this package it was met helps nobody. */
export const underlying = (code: string): Error => {
  const cause = new Error(code)
  cause.stack = String(cause)
  return cause
}

export const notAnMcpServer = (about: About, why: string): ConnectionUnavailable =>
  unavailable(
    "not-an-mcp-server",
    `${about.server} is not an MCP server${foreign(why)} ${check(about)}${lastWords(about)}`,
    about,
  )

const check = ({ server }: About): string =>
  /^https?:/.test(server) ? "Check the URL and the transport." : "Check the command and its arguments."

/** The way to the server is gone, and nobody knows why. */
export const connectionLost = (about: About): ConnectionUnavailable =>
  unavailable(
    "connection-lost",
    `The connection to ${about.server} is lost. Open a new session to go on.${lastWords(about)}`,
    about,
  )

/** The server does not read what it is sent. */
export const notReading = (about: About): ConnectionUnavailable =>
  unavailable(
    "connection-lost",
    `${about.server} does not read its input any more. Open a new session to go on.${lastWords(about)}`,
    about,
  )

export const connectTimeout = (about: About, limit: Duration.Duration): ConnectionUnavailable =>
  unavailable(
    "connect-timeout",
    `${about.server} did not complete the MCP handshake within ${Duration.format(limit)}. ` +
      `Check that it is an MCP server, or raise connectTimeout.${lastWords(about)}`,
    about,
  )

/** `excess`: what of its shape is too much, where it is not its length. */
export const messageTooLarge = (
  about: About,
  {
    maxMessageBytes,
    shape = {},
  }: { readonly maxMessageBytes: number; readonly shape?: Partial<JsonBounds.JsonBounds> },
  excess: JsonBounds.Excess | undefined,
): ConnectionUnavailable => {
  const what = JsonBounds.words(excess, shape, maxMessageBytes)
  const limit = { depth: "maxMessageDepth", elements: "maxMessageElements", bytes: "maxMessageBytes" }[
    excess ?? "bytes"
  ]
  return unavailable(
    "message-too-large",
    `${about.server} sent a message ${what}. Raise ${limit}, or ask for a smaller answer.`,
    about,
  )
}

export const protocolViolation = (
  about: About,
  what: string,
  remedy = "Report it to the maker of the server.",
): ConnectionUnavailable =>
  unavailable("protocol-violation", `${about.server} broke the protocol: ${what}. ${remedy}`, about)

/** JSON-RPC's own words for a request that was not taken up. */
const refusals: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602])

/** A JSON-RPC error in answer to a call. */
export const callFailed = (about: About, error: { readonly code: number; readonly message: string }): McpError =>
  refusals.has(error.code)
    ? new InvalidRequest({
        reason: "rejected-by-server",
        message: clip(`${about.server} refused the call (${error.code})${foreign(error.message)} ${isItThis}`),
        delivery: about.delivery,
      })
    : unavailable(
        "server-error",
        `${about.server} answered the call with an error (${error.code})${foreign(error.message)} ` +
          (about.delivery === "not-sent"
            ? "Its agent did not accept the prompt: sending it again is safe."
            : "It may have begun: look before you ask again."),
        about,
      )

/** The agent server calls options by its own names. Nothing was sent to the agent. */
export const optionRefused = (server: string, words: string): McpError =>
  invalidConfig(
    `${server} refused an option beside \`threadId\`${foreign(words.replace(/^`[\w-]+/, camelCase))} ` +
      "Leave it out, or start a new conversation.",
  )

/**
 * The agent cannot go on with the conversation. Nothing was sent to it.
 *
 * @param message says why; by default, that there is no such conversation, or not for this client
 */
export const conversationLost = (
  message = "The agent has no conversation with this `threadId`: it was never kept, was archived or removed, or belongs to another user. " +
    "Open a session without `threadId` to start a new conversation.",
): SessionClosed => new SessionClosed({ reason: "conversation-lost", message: clip(message), delivery: "not-sent" })

/** Another process, or the turn before, goes on with the conversation. Nothing was sent to the agent. */
export const conversationHeld = (words: string): InvalidRequest =>
  new InvalidRequest({ reason: "rejected-by-server", message: clip(words), delivery: "not-sent" })

/** The server did not say in one of its own words why a conversation cannot go on. */
export const resumeFailed = (server: string, words: string): ConnectionUnavailable =>
  unavailable("server-error", `${server} did not open the conversation of \`threadId\`${foreign(words)}`, {
    server,
    delivery: "not-sent",
  })

const camelCase = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const isItThis = "Check that it is the server of this adapter's agent."

/** The most that a message repeats of what a server says, in bytes: the advice must have room after it. */
const wordsLimit = 600

/** Somebody's words, if any, as the end of a sentence, so that another can follow. */
const foreign = (words: string): string => {
  const said = clip(words.trim(), wordsLimit)
  return said === "" ? "." : `: ${/[.!?…]$/.test(said) ? said : `${said}.`}`
}

/** What is wrong with a certificate, by OpenSSL's own name for it, and what to do. */
const certificates: Readonly<Record<string, readonly [wrong: string, remedy: string]>> = {
  CERT_HAS_EXPIRED: ["has expired", "Renew it at the server, and check the clock of this machine."],
  CERT_NOT_YET_VALID: ["is not valid yet", "Check the clocks of this machine and of the server."],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "is for another host name",
    "Use a name in the URL that the certificate holds, or have one issued for this name.",
  ],
}
const untrusted = [
  "is not trusted",
  "Name its authority in `tls.ca` of the connection, or in NODE_EXTRA_CA_CERTS.",
] as const

const isCertificate = (code: string) => /CERT|UNABLE_TO|^ERR_TLS/.test(code)

/** The other side's answer to a TLS handshake is none. */
const isPlain = (code: string) => /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNKNOWN_PROTOCOL)$/.test(code)

/** The server refused the TLS handshake or the client's identity. Before a response, it has read no request. */
export const isTlsAlert = (code: string) =>
  /^ERR_SSL_.*ALERT_(HANDSHAKE_FAILURE|PROTOCOL_VERSION|UNKNOWN_CA|ACCESS_DENIED|.*CERTIFICATE.*)$/.test(code)

const whyUnreachable = (server: string, code: string): string => {
  if (isTlsAlert(code))
    return (
      `${server} ended the TLS handshake (${code}). If it requires a client certificate, ` +
      "give one in `tls.cert` and `tls.key` of the connection."
    )
  if (isPlain(code))
    return `${server} does not speak TLS (${code}). Write http:// in the URL, or name the port that serves https.`
  if (!isCertificate(code)) return `${server} cannot be reached (${code}). Check the URL, and that the server runs.`
  const [wrong, remedy] = certificates[code] ?? untrusted
  return `The certificate of ${server} ${wrong} (${code}). ${remedy}`
}

/** No connection could be made: nothing listens, the name is unknown, the certificate is not accepted. */
export const unreachable = (about: About, code: string): ConnectionUnavailable =>
  unavailable("unreachable", whyUnreachable(about.server, code), about)

/** A server of TLS was spoken to without it. */
export const speaksTls = (about: About): ConnectionUnavailable =>
  unavailable("unreachable", `${about.server} speaks TLS. Write https:// in the URL.`, about)

/** The first request to a server was answered by the end of the connection. */
export const hungUp = (about: About): ConnectionUnavailable =>
  unavailable(
    "connection-lost",
    `${about.server} closed the connection without an answer. ${
      about.server.startsWith("https:")
        ? "If it requires a client certificate, give one in `tls.cert` and `tls.key` of the connection."
        : "If it speaks TLS, write https:// in the URL."
    }`,
    about,
  )

/** A proxy on the way does not let us through. */
export const proxyRefused = (about: About, status: number): ConnectionUnavailable =>
  unavailable(
    status === 407 ? "unauthorized" : "unreachable",
    `The proxy on the way to ${about.server} refuses (HTTP ${status}). Check HTTP_PROXY, HTTPS_PROXY and NO_PROXY` +
      `${status === 407 ? ", and the user and password in them" : ""}.`,
    about,
  )

/** What a server answered with instead of a message. `said`: its own words, without secrets; may be empty. */
export interface Refusal {
  readonly status: number
  readonly said: string
}

const answered = ({ said, status }: Refusal): string =>
  `HTTP ${status}${said === "" ? "" : `: ${clip(said, wordsLimit)}`}`

export const unauthorized = (about: About, refusal: Refusal): ConnectionUnavailable =>
  unavailable(
    "unauthorized",
    `${about.server} does not let us in (${answered(refusal)}). Check \`bearerToken\` or \`headers\` of the connection.`,
    about,
  )

export const sessionExpired = (about: About, refusal: Refusal): ConnectionUnavailable =>
  unavailable(
    "session-expired",
    `${about.server} has ended its session (${answered(refusal)}). Open a new one to go on.`,
    about,
  )

export const rateLimited = (about: About, refusal: Refusal): ConnectionUnavailable => {
  const { retryAfter } = about.diagnostics ?? {}
  const when =
    retryAfter === undefined || retryAfter === 0 ? "later" : `in ${Duration.format(Duration.millis(retryAfter))}`
  return unavailable("rate-limited", `${about.server} is asked too often (${answered(refusal)}). Try ${when}.`, about)
}

export const serverFailed = (about: About, refusal: Refusal): ConnectionUnavailable =>
  unavailable("server-error", `${about.server} failed (${answered(refusal)}). Look into its logs.`, about)

/** The server does not take the request for what it asks. */
export const refused = (about: About, refusal: Refusal): InvalidRequest =>
  new InvalidRequest({
    reason: "rejected-by-server",
    message: clip(`${about.server} refused the call (${answered(refusal)}). ${isItThis}`),
    delivery: about.delivery,
    ...(about.diagnostics === undefined ? {} : { diagnostics: about.diagnostics }),
  })

/** An adapter's agent does not serve this transport. */
export const transportNotServed = (agent: string, transport: string): InvalidRequest =>
  invalidConfig(`${agent} serves MCP over stdio only, not over ${transport}. Use McpConnectionConfig.stdio.`)

/** An agent of this machine is to work where nobody can. */
export const noDirectory = (path: string): InvalidRequest =>
  invalidConfig(
    `The directory ${clip(path, wordsLimit)} for the agent to work in does not exist. Create it, or name another in \`cwd\` of the options.`,
  )

/** The server speaks, but not the dialect of this profile: what its agent asks would be answered wrongly. */
export const otherProfile = (name: string, profile: "agent-server" | "native"): InvalidRequest => {
  const server = clip(name, wordsLimit)
  return invalidConfig(
    profile === "native"
      ? `${server} is the agent's own MCP server. Make the adapter with \`profile: "native"\` for it, or connect to the agent server: local() of the TransportFactory.`
      : `${server} is the agent server. Make the adapter with \`profile: "agent-server"\` for it, which is the default.`,
  )
}

/** An agent server, with another agent behind it. */
export const otherAgent = (server: string, expected: string): InvalidRequest =>
  invalidConfig(
    `${clip(server, wordsLimit)} drives another agent; this adapter needs ${expected}. Check the command or the URL, or use the other adapter.`,
  )

/** The same failure, with another verdict on the prompt. */
export const delivered = (error: McpError, delivery: McpDelivery): McpError =>
  error.delivery === delivery ? error : amended(error, { delivery })

/** The same failure for a prompt that was never sent. */
export const notSent = (error: McpError): McpError => delivered(error, "not-sent")

/** The same failure, with what a server said in it cleaned of secrets. */
export const redacted = (error: McpError, redact: Redactor): McpError => {
  const message = redact(error.message)
  return message === error.message ? error : amended(error, { message })
}
