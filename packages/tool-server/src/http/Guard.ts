/**
 * Authenticates requests by their headers.
 *
 * A page in a browser can reach a server on this machine: the guard checks `Host`, the name that the page used, and `Origin`,
 * the page itself.
 *
 * @see docs/internals/promises.md, 25 and 26; Model Context Protocol 2025-11-25, transports, security warning
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import * as Result from "effect/Result"
import * as Principals from "./Principals.ts"
import * as Refusal from "./Refusal.ts"

/** What a guard accepts. */
export interface GuardOptions {
  /** The address on which the server listens. */
  readonly host: string
  /** The port on which the server listens. */
  readonly port: number
  /** Further values of the `Host` header; a name without a port allows any port. */
  readonly allowedHosts: ReadonlyArray<string>
  /** Further values of the `Origin` header, such as `https://example.org`. */
  readonly allowedOrigins: ReadonlyArray<string>
  /** The accepted tokens; without any, no token is required. */
  readonly tokens: ReadonlyArray<Principals.Token>
}

/** Returns the principal of a request, or the refusal. */
export type Guard = (request: IncomingMessage) => Result.Result<Principals.Principal, Refusal.Refusal>

/** Closes the connection of an unauthenticated client, since connections are limited. */
const refusal = (status: number, message: string, headers: Readonly<Record<string, string>> = {}) =>
  Refusal.make(status, message, { ...headers, Connection: "close" })

const foreignHost = refusal(403, "The Host header is not an address of this server. Allow it with --allow-host.")
const foreignOrigin = refusal(403, "The Origin header is not allowed. Allow it with --allow-origin.")
const noToken = refusal(401, "This server requires a token. Send it as Authorization: Bearer <token>.", {
  "WWW-Authenticate": "Bearer",
})
const wrongToken = refusal(401, "The token is not valid for this server.", {
  "WWW-Authenticate": 'Bearer error="invalid_token"',
})

/** Whether only this machine can reach an address. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host)

/** A host as a URL and a Host header write it. */
export const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host)

/** The loopback addresses for the addresses that mean all of a machine's. */
const wildcards: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
])

/** The host by which this machine reaches a server that listens on an address. */
export const named = (host: string): string => wildcards.get(host) ?? host

/** Makes a guard. */
export const make = (options: GuardOptions): Guard => {
  const bound = wildcards.has(options.host) ? [] : [bracketed(options.host).toLowerCase()]
  const names = [...new Set(["127.0.0.1", "localhost", "[::1]", ...bound])]
  const own = names.flatMap((name) => [`${name}:${options.port}`, ...(options.port === 80 ? [name] : [])])
  const hosts: ReadonlySet<string> = new Set([...own, ...options.allowedHosts.map((host) => host.toLowerCase())])
  const origins: ReadonlySet<string> = new Set([...own.map((host) => `http://${host}`), ...options.allowedOrigins])
  const principals = Principals.make(options.tokens)

  const isOurs = ({ headersDistinct }: IncomingMessage): boolean => {
    const [host, ...more] = headersDistinct["host"] ?? []
    if (host === undefined || more.length > 0) return false
    const name = host.toLowerCase()
    return hosts.has(name) || hosts.has(name.replace(/:\d+$/, ""))
  }
  const isKnownPage = ({ origin, ...headers }: IncomingHttpHeaders): boolean =>
    // A browser sends no Origin for resources that a page loads.
    origin === undefined ? isOwnFetch(headers["sec-fetch-site"]) : origins.has(origin.toLowerCase())

  return (request) => {
    if (!isOurs(request)) return Result.fail(foreignHost)
    if (!isKnownPage(request.headers)) return Result.fail(foreignOrigin)
    if (options.tokens.length === 0) return Result.succeed(Principals.anyone)
    const token = /^bearer +([^\s]+)$/i.exec(request.headers.authorization ?? "")?.[1]
    if (token === undefined) return Result.fail(noToken)
    const principal = principals(token)
    return principal === undefined ? Result.fail(wrongToken) : Result.succeed(principal)
  }
}

const isOwnFetch = (site: string | ReadonlyArray<string> | undefined): boolean =>
  site === undefined || site === "same-origin" || site === "none"
