/**
 * Makes the port's errors. Together with `stdio/ExitFailure` the only module that translates failures of a process or a wire
 * into them.
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

/** The server and the prompt that a failure concerns. */
export interface About {
  /** The server's name in messages: its command, or its URL without the query. */
  readonly server: string
  /** Whether the agent may have received the prompt. */
  readonly delivery: McpDelivery
  /** The observed facts about the server: exit code, standard error, HTTP status. */
  readonly diagnostics?: McpDiagnostics
  /** The underlying error, for logs. */
  readonly cause?: unknown
}

/**
 * Makes a `ConnectionUnavailable` for a failure that no other function of this module covers, from a whole message,
 * which is clipped to 1 KiB.
 *
 * @param reason the reason, one of a fixed set that programs match on
 * @param message the whole text of the error, to which nothing is added; it is cut at 1,024 bytes
 * @param about the server's name for the message, and `delivery`, `diagnostics` and `cause` of the error
 */
export const unavailable = (reason: ConnectionUnavailableReason, message: string, about: About) =>
  new ConnectionUnavailable({
    reason,
    message: clip(message),
    delivery: about.delivery,
    ...observed(about),
    ...(about.cause === undefined ? {} : { cause: about.cause }),
  })

const observed = ({ diagnostics = {} }: About) => (Object.keys(diagnostics).length === 0 ? {} : { diagnostics })

/**
 * Returns the last lines of the server's standard error as the end of a message; empty if there are none.
 *
 * @param about the server; only its `diagnostics.stderrTail` is used
 */
export const lastWords = (about: About): string => StderrTail.lastWords(about.diagnostics?.stderrTail)

/**
 * Makes a `ConnectionUnavailable`, reason `spawn-failed`, for a process that could not be started, or a session's
 * private directory that could not be created.
 *
 * @param error the failure of `@zain/process`; its message is kept, and its code becomes `cause`
 */
export const startFailed = ({ code, message }: ProcessError): ConnectionUnavailable =>
  unavailable("spawn-failed", message, { server: "", delivery: "not-sent", cause: underlying(code) })

/**
 * Makes the error of `local()` without the program of an agent's MCP server.
 *
 * @param server the program's name, such as `zain-codex-mcp`
 */
export const serverNotFound = (server: string): ConnectionUnavailable =>
  unavailable(
    "spawn-failed",
    `The command ${server} was not found. In a bundle, pass the path of its file ${server}.js as \`server\` of \`local()\`; ` +
      'else install it with "npm install --global @zain/cli".',
    { server: "", delivery: "not-sent" },
  )

/**
 * Makes an error for `cause` from a system code, without a stack, which would only show lines of this package.
 *
 * @param code the code, such as `ECONNREFUSED`
 */
export const underlying = (code: string): Error => {
  const cause = new Error(code)
  cause.stack = String(cause)
  return cause
}

/**
 * Makes a `ConnectionUnavailable`, reason `not-an-mcp-server`: the command or URL does not answer as MCP.
 *
 * @param about the server's name for the message, and `delivery`, `diagnostics` and `cause` of the error
 * @param why the evidence, as a clause such as `it answers HTTP 404`; may be empty
 */
export const notAnMcpServer = (about: About, why: string): ConnectionUnavailable =>
  unavailable(
    "not-an-mcp-server",
    `${about.server} is not an MCP server${foreign(why)} ${check(about)}${lastWords(about)}`,
    about,
  )

const check = ({ server }: About): string =>
  /^https?:/.test(server) ? "Check the URL and the transport." : "Check the command and its arguments."

/**
 * Makes a `ConnectionUnavailable`, reason `connection-lost`, for a connection that ended without a known cause.
 *
 * @param about the server's name for the message, and `delivery`, `diagnostics` and `cause` of the error
 */
export const connectionLost = (about: About): ConnectionUnavailable =>
  unavailable(
    "connection-lost",
    `The connection to ${about.server} was lost. Open a new session to continue.${lastWords(about)}`,
    about,
  )

/**
 * Makes a `ConnectionUnavailable`, reason `connection-lost`, for a process that does not read its standard input.
 *
 * @param about the server's name for the message, and `delivery`, `diagnostics` and `cause` of the error
 */
export const notReading = (about: About): ConnectionUnavailable =>
  unavailable(
    "connection-lost",
    `${about.server} stopped reading its standard input. Open a new session to continue.${lastWords(about)}`,
    about,
  )

/**
 * Makes a `ConnectionUnavailable`, reason `connect-timeout`: no handshake within `connectTimeout`.
 *
 * @param about the server's name for the message, and `delivery`, `diagnostics` and `cause` of the error
 * @param limit the `connectTimeout` that has passed
 */
export const connectTimeout = (about: About, limit: Duration.Duration): ConnectionUnavailable =>
  unavailable(
    "connect-timeout",
    `The MCP handshake with ${about.server} timed out after ${Duration.format(limit)}. ` +
      `Check that it is an MCP server, or raise \`connectTimeout\`.${lastWords(about)}`,
    about,
  )

/**
 * Makes a `ConnectionUnavailable`, reason `message-too-large`: a message exceeded a bound of the connection.
 *
 * @param about the server's name for the message, and `delivery`, `diagnostics` and `cause` of the error
 * @param limits the bounds of the connection; the error's message names the exceeded one
 * @param excess the bound of the message's shape that it exceeds; `undefined` for its length
 */
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
    `${about.server} sent a message ${what}. Raise \`${limit}\`, or request a smaller answer.`,
    about,
  )
}

/**
 * Makes a `ConnectionUnavailable`, reason `protocol-violation`: the server's answer is not valid MCP.
 *
 * @param about the server's name for the message, and `delivery`, `diagnostics` and `cause` of the error
 * @param what what the server did wrong, as a clause without capital and full stop, such as `a result has no content`
 * @param remedy one sentence; by default to report it to the server's maintainer
 */
export const protocolViolation = (
  about: About,
  what: string,
  remedy = "Report it to the maintainer of the server.",
): ConnectionUnavailable =>
  unavailable("protocol-violation", `${about.server} violated the protocol: ${what}. ${remedy}`, about)

/** The JSON-RPC codes of a request that was not executed. */
const refusals: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602])

/**
 * Makes the error of a call that the server answered with a JSON-RPC error: `InvalidRequest`, reason `rejected-by-server`,
 * for the codes -32700 and -32600 to -32602; else `ConnectionUnavailable`, reason `server-error`: the server failed to process the request.
 *
 * @param about the server's name for the message, and `delivery`, `diagnostics` and `cause` of the error
 * @param error the JSON-RPC error of the server; the new error's message quotes both members
 */
export const callFailed = (about: About, error: { readonly code: number; readonly message: string }): McpError =>
  refusals.has(error.code)
    ? new InvalidRequest({
        reason: "rejected-by-server",
        message: clip(`${about.server} rejected the call (${error.code})${foreign(error.message)} ${isItThis}`),
        delivery: about.delivery,
      })
    : unavailable(
        "server-error",
        `${about.server} answered the call with an error (${error.code})${foreign(error.message)} ` +
          (about.delivery === "not-sent"
            ? "The agent did not accept the prompt; retrying is safe."
            : "The prompt may have run; check before a retry."),
        about,
      )

/**
 * Makes an `InvalidRequest`, reason `invalid-config`, for an option that cannot be changed in a resumed conversation. The
 * agent received nothing.
 *
 * @param server the server's name in messages
 * @param words the server's message, which begins with its own name of the option in backticks
 */
export const optionRefused = (server: string, words: string): McpError =>
  invalidConfig(`${server} rejected an option given with \`threadId\`${foreign(words.replace(/^`[\w-]+/, camelCase))}`)

/**
 * Makes an `InvalidRequest`, reason `not-supported`: the agent cannot do what the request asks, and received nothing.
 *
 * @param words the server's message, which names the member of the request and the agent
 */
export const notSupported = (words: string): InvalidRequest =>
  new InvalidRequest({ reason: "not-supported", message: clip(words), delivery: "not-sent" })

/**
 * Makes an `InvalidRequest`, reason `not-supported`: the server cannot call tools of the session's own.
 *
 * @param server the server's name in messages
 */
export const noTools = (server: string): InvalidRequest =>
  notSupported(
    `${server} does not support tools of the session's own (\`tools\`). Update it, or omit them: the server needs the capability \`zain/tools\`.`,
  )

/**
 * Makes a `SessionClosed`, reason `conversation-lost`: the agent cannot continue the conversation, and received nothing.
 *
 * @param message the whole message of the error; by default it says that the agent has no such conversation, or none
 *   that this user may continue
 * @param cause what a profile threw; none by default
 */
export const conversationLost = (
  message = "The agent has no conversation with this `threadId`: it was not saved, was archived or deleted, or belongs to another user. " +
    "Open a session without `threadId` to start a new conversation.",
  cause?: unknown,
): SessionClosed =>
  new SessionClosed({
    reason: "conversation-lost",
    message: clip(message),
    delivery: "not-sent",
    ...(cause === undefined ? {} : { cause }),
  })

/**
 * Makes an `InvalidRequest`, reason `rejected-by-server`, for a conversation that another process or the previous turn still
 * uses. The agent received nothing.
 *
 * @param words the server's message
 */
export const conversationHeld = (words: string): InvalidRequest =>
  new InvalidRequest({ reason: "rejected-by-server", message: clip(words), delivery: "not-sent" })

/**
 * Makes an `InvalidRequest`, reason `invalid-config`, for options or a configuration that the server rejected. The agent received
 * nothing.
 *
 * @param words the server's message, with its own names of options in backticks
 */
export const configRefused = (words: string): InvalidRequest =>
  invalidConfig(words.replace(/`[a-z]+(-[a-z]+)+`/g, camelCase))

/**
 * Makes a `ConnectionUnavailable`, reason `server-error`, for a server that answered `prepare` of a session with an error.
 *
 * @param server the server's name in messages
 * @param words the server's message
 */
export const notPrepared = (server: string, words: string): ConnectionUnavailable =>
  unavailable("server-error", `${server} could not open the conversation${foreign(words)}`, {
    server,
    delivery: "not-sent",
  })

const camelCase = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const isItThis = "Check that it is the server of this adapter's agent."

/** How much of a server's text a message quotes, in bytes: the remedy must fit after it. */
const maxQuotedBytes = 600

/** A quoted text as the end of a sentence, so that another sentence can follow; a full stop if it is empty. */
const foreign = (words: string): string => {
  const said = clip(words.trim(), maxQuotedBytes)
  return said === "" ? "." : `: ${/[.!?\u2026]$/.test(said) ? said : `${said}.`}`
}

/** The fault of a certificate and its remedy, by OpenSSL's error code. */
const certificates: Readonly<Record<string, readonly [wrong: string, remedy: string]>> = {
  CERT_HAS_EXPIRED: ["has expired", "Renew it on the server, and check the clock of this machine."],
  CERT_NOT_YET_VALID: ["is not valid yet", "Check the clocks of this machine and of the server."],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "does not match the host name",
    "Use a host name of the certificate in the URL, or have a certificate issued for this host name.",
  ],
}
const untrusted = [
  "is not trusted",
  "Give its authority's certificate in `tls.ca` of the connection, or in a file named by NODE_EXTRA_CA_CERTS.",
] as const

const isCertificate = (code: string) => /CERT|UNABLE_TO|^ERR_TLS/.test(code)

/** Whether the reply to a TLS handshake was not TLS. */
const isPlain = (code: string) => /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNKNOWN_PROTOCOL)$/.test(code)

/**
 * Returns true for the code of a TLS alert: the server rejected the handshake or the client's certificate. Before a response
 * it means that the server read no request.
 *
 * @param code the code of OpenSSL or of Node, such as `ERR_SSL_TLSV1_ALERT_UNKNOWN_CA`
 */
export const isTlsAlert = (code: string) =>
  /^ERR_SSL_.*ALERT_(HANDSHAKE_FAILURE|PROTOCOL_VERSION|UNKNOWN_CA|ACCESS_DENIED|.*CERTIFICATE.*)$/.test(code)

const whyUnreachable = (server: string, code: string): string => {
  if (isTlsAlert(code))
    return (
      `${server} rejected the TLS handshake (${code}). If it requires a client certificate, ` +
      "set `tls.cert` and `tls.key` of the connection."
    )
  if (isPlain(code))
    return `${server} does not use TLS (${code}). Use http:// in the URL, or the port that serves https.`
  if (!isCertificate(code))
    return `Cannot connect to ${server} (${code}). Check the URL, and that the server is running.`
  const [wrong, remedy] = certificates[code] ?? untrusted
  return `The certificate of ${server} ${wrong} (${code}). ${remedy}`
}

/**
 * Makes a `ConnectionUnavailable`, reason `unreachable`: the connection was refused, the host name was not found, or the
 * certificate was rejected.
 *
 * @param about the server's name for the message, and `delivery`, `diagnostics` and `cause` of the error
 * @param code the code of Node or OpenSSL, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`
 */
export const unreachable = (about: About, code: string): ConnectionUnavailable =>
  unavailable("unreachable", whyUnreachable(about.server, code), about)

/**
 * Makes a `ConnectionUnavailable`, reason `unreachable`, for an `http:` URL whose server requires TLS.
 *
 * @param about the server's name for the message, and `delivery`, `diagnostics` and `cause` of the error
 */
export const speaksTls = (about: About): ConnectionUnavailable =>
  unavailable("unreachable", `${about.server} requires TLS. Use https:// in the URL.`, about)

/**
 * Makes a `ConnectionUnavailable`, reason `connection-lost`, for a server that closed the connection at the first request.
 *
 * @param about the server's name for the message, and `delivery`, `diagnostics` and `cause` of the error
 */
export const hungUp = (about: About): ConnectionUnavailable =>
  unavailable(
    "connection-lost",
    `${about.server} closed the connection without a response. ${
      about.server.startsWith("https:")
        ? "If it requires a client certificate, set `tls.cert` and `tls.key` of the connection."
        : "If it requires TLS, use https:// in the URL."
    }`,
    about,
  )

/**
 * Makes a `ConnectionUnavailable` for a proxy that rejected the connection: reason `unauthorized` for HTTP 407, else
 * `unreachable`.
 *
 * @param about the server's name for the message, and `delivery`, `diagnostics` and `cause` of the error
 * @param status the HTTP status of the proxy's response
 */
export const proxyRefused = (about: About, status: number): ConnectionUnavailable =>
  unavailable(
    status === 407 ? "unauthorized" : "unreachable",
    `Cannot connect to ${about.server}, which rejected the connection (HTTP ${status}). Check HTTP_PROXY, HTTPS_PROXY and NO_PROXY` +
      `${status === 407 ? ", and the user name and password in them" : ""}.`,
    about,
  )

/** The HTTP response with which a server or a proxy refused a request. */
export interface Refusal {
  /** The HTTP status, 300 or above: redirects are not followed. */
  readonly status: number
  /** The server's message with secrets redacted; empty if it sent none. */
  readonly said: string
}

const answered = ({ said, status }: Refusal): string =>
  `HTTP ${status}${said === "" ? "" : `: ${clip(said.replace(/\.$/, ""), maxQuotedBytes)}`}`

/**
 * Makes a `ConnectionUnavailable`, reason `unauthorized`: the server rejected the credentials.
 *
 * @param about the server's name for the message, and `delivery`, `diagnostics` and `cause` of the error
 * @param refusal the server's response: HTTP 401, 403 or 407
 */
export const unauthorized = (about: About, refusal: Refusal): ConnectionUnavailable =>
  unavailable(
    "unauthorized",
    `${about.server} rejected the credentials (${answered(refusal)}). Set or correct \`bearerToken\` or \`headers\` of the connection.`,
    about,
  )

/**
 * Makes a `ConnectionUnavailable`, reason `session-expired`: the server does not have the MCP session any more.
 *
 * @param about the server's name for the message, and `delivery`, `diagnostics` and `cause` of the error
 * @param refusal the server's response: HTTP 404 or 410
 */
export const sessionExpired = (about: About, refusal: Refusal): ConnectionUnavailable =>
  unavailable(
    "session-expired",
    `${about.server} ended the session (${answered(refusal)}). Open a new session to continue.`,
    about,
  )

/**
 * Makes a `ConnectionUnavailable`, reason `rate-limited`: the server accepts no more requests for now.
 *
 * @param about the server and the prompt; `diagnostics.retryAfter` is named in the message
 * @param refusal the server's response: HTTP 429
 */
export const rateLimited = (about: About, refusal: Refusal): ConnectionUnavailable => {
  const { retryAfter } = about.diagnostics ?? {}
  const when =
    retryAfter === undefined || retryAfter === 0 ? "later" : `in ${Duration.format(Duration.millis(retryAfter))}`
  return unavailable(
    "rate-limited",
    `${about.server}: rate limit exceeded (${answered(refusal)}). Retry ${when}.`,
    about,
  )
}

/**
 * Makes a `ConnectionUnavailable`, reason `server-error`: the server answered with HTTP 500 or above.
 *
 * @param about the server's name for the message, and `delivery`, `diagnostics` and `cause` of the error
 * @param refusal the server's response: HTTP 500 or above
 */
export const serverFailed = (about: About, refusal: Refusal): ConnectionUnavailable =>
  unavailable("server-error", `${about.server} failed (${answered(refusal)}). Check its logs.`, about)

/**
 * Makes an `InvalidRequest`, reason `rejected-by-server`, for HTTP 400 to 499 where no other function of this module
 * has its own error.
 *
 * @param about the server's name for the message, and `delivery`, `diagnostics` and `cause` of the error
 * @param refusal the server's response: HTTP 400 to 499
 */
export const refused = (about: About, refusal: Refusal): InvalidRequest =>
  new InvalidRequest({
    reason: "rejected-by-server",
    message: clip(`${about.server} rejected the call (${answered(refusal)}). ${isItThis}`),
    delivery: about.delivery,
    ...observed(about),
  })

/**
 * Makes an `InvalidRequest`, reason `invalid-config`, for an agent whose server supports stdio only.
 *
 * @param agent the agent's product name, such as `Claude Code`
 * @param transport the transport of the configuration, such as `streamable-http`
 */
export const transportNotServed = (agent: string, transport: string): InvalidRequest =>
  invalidConfig(`${agent} serves MCP over stdio only, not over ${transport}. Use McpConnectionConfig.stdio.`)

/**
 * Makes an `InvalidRequest`, reason `invalid-config`, for a `cwd` in which the agent cannot start.
 *
 * @param path the absolute path of the directory
 * @param problem the cause and the remedy, as the end of the sentence about the path
 */
export const noDirectory = (path: string, problem: string): InvalidRequest =>
  invalidConfig(`The agent's working directory ${clip(path, maxQuotedBytes)} ${problem}`)

/**
 * Makes an `InvalidRequest`, reason `invalid-config`, for a server of the adapter's other profile.
 *
 * @param name the server's name, or its command
 * @param profile the profile that supports the server
 */
export const otherProfile = (name: string, profile: "agent-server" | "native"): InvalidRequest => {
  const server = clip(name, maxQuotedBytes)
  return invalidConfig(
    profile === "native"
      ? `${server} is the agent's own MCP server. Use \`local()\` of the TransportFactory, which starts the agent server, or make the adapter with \`profile: "native"\`.`
      : `${server} is the agent server. Make the adapter with \`profile: "agent-server"\`, the default.`,
  )
}

/**
 * Makes an `InvalidRequest`, reason `invalid-config`, for an agent server of another agent.
 *
 * @param server the name that the server sent in the handshake
 * @param expected the name of the server that the adapter requires
 */
export const otherAgent = (server: string, expected: string): InvalidRequest =>
  invalidConfig(
    `${clip(server, maxQuotedBytes)} serves another agent; this adapter requires ${expected}. Use the adapter and the TransportFactory of one agent, or correct the command or the URL.`,
  )

/**
 * Returns a copy of an error with the given `delivery`, or the error itself if it has that `delivery` already.
 *
 * @param error the error, which is not changed
 * @param delivery the new value: whether the agent may have received the prompt
 */
export const delivered = (error: McpError, delivery: McpDelivery): McpError =>
  error.delivery === delivery ? error : amended(error, { delivery })

/**
 * Returns a copy of an error with the `delivery` `not-sent`: the prompt was never sent.
 *
 * @param error the error, which is not changed; it is returned itself if its `delivery` is `not-sent` already
 */
export const notSent = (error: McpError): McpError => delivered(error, "not-sent")

/**
 * Returns the error with the secrets in its message redacted.
 *
 * @param error the error, which is not changed
 * @param redact the redactor of the connection's secrets
 */
export const redacted = (error: McpError, redact: Redactor): McpError => {
  const message = redact(error.message)
  return message === error.message ? error : amended(error, { message })
}
