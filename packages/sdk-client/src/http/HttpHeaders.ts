/**
 * The caller's headers: whether they can be sent.
 */
import { type InvalidRequest, invalidConfig } from "@zain/core/McpError"
import * as Result from "effect/Result"

/** The headers that the transports and the HTTP client set. */
const ours: ReadonlySet<string> = new Set([
  ...["accept", "accept-encoding", "connection", "content-length", "content-type", "expect", "host", "keep-alive"],
  ...["last-event-id", "mcp-protocol-version", "mcp-session-id", "proxy-authorization"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
])

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const sendable = /^[\t\u0020-\u007e]*$/

/**
 * Checks headers before anything is sent.
 *
 * @returns the headers, or `InvalidRequest` with reason `invalid-config`, which names the invalid header and never its value
 */
export const check = (
  headers: Readonly<Record<string, string>>,
): Result.Result<Readonly<Record<string, string>>, InvalidRequest> => {
  for (const [name, value] of Object.entries(headers)) {
    const path = `\`headers.${name.slice(0, 64)}\``
    if (!token.test(name)) return invalid(`${path} is not a valid header name.`)
    if (ours.has(name.toLowerCase())) return invalid(`${path} is set by the transport. Remove it.`)
    if (!sendable.test(value))
      return invalid(
        `The value of ${path}${name.toLowerCase() === "authorization" ? " or `bearerToken`" : ""} contains a character that is not allowed in a header, such as a line break. Remove it.`,
      )
  }
  return Result.succeed(headers)
}

const invalid = (message: string) => Result.fail(invalidConfig(message))
