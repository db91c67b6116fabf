/**
 * The headers that a caller gives: whether they can be sent, and what of them must not show anywhere.
 */
import { type InvalidRequest, invalidConfig } from "@zain/core/McpError"
import * as Result from "effect/Result"

/** What the transports themselves say. */
const ours: ReadonlySet<string> = new Set([
  ...["accept", "accept-encoding", "connection", "content-length", "content-type", "expect", "host", "keep-alive"],
  ...["last-event-id", "mcp-protocol-version", "mcp-session-id", "proxy-authorization"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
])

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const sendable = /^[\t\u0020-\u007e]*$/

/**
 * The headers as they are sent.
 *
 * @returns them, or `InvalidRequest` with reason `invalid-config` and the name of the one that cannot be sent; never its
 *   value
 */
export const check = (
  headers: Readonly<Record<string, string>>,
): Result.Result<Readonly<Record<string, string>>, InvalidRequest> => {
  for (const [name, value] of Object.entries(headers)) {
    const path = `\`headers.${name.slice(0, 64)}\``
    if (!token.test(name)) return invalid(`${path} is no name of a header.`)
    if (ours.has(name.toLowerCase())) return invalid(`${path} is the transport's own. Leave it away.`)
    if (!sendable.test(value)) return invalid(`The value of ${path} holds a character that no header may hold.`)
  }
  return Result.succeed(headers)
}

const invalid = (message: string) => Result.fail(invalidConfig(message))

/** A shorter value is likely a word, and hiding it would hide the word everywhere; unless its name says what it is. */
const shortest = 8
const secretName = /auth|cookie|key|secret|token/i

/** A header's value, and what a server could say of it: the token without its scheme, the user and the password. */
export const secretsOf = (headers: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(headers).flatMap(([name, value]) => {
    const pieces = [value, ...value.split(/[\s,;=]+/)].filter((piece) => piece.length >= shortest)
    const basic = /^basic\s+(\S+)$/i.exec(value)?.[1]
    const pair = basic === undefined ? [] : [Buffer.from(basic, "base64").toString("utf8")]
    const whole = secretName.test(name) ? [value] : []
    return [...whole, ...pieces, ...pair, ...pair.map((both) => both.slice(both.indexOf(":") + 1))]
  })
