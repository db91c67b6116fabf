/**
 * Who may speak to the server at all, judged by the head of a request alone.
 *
 * A browser's page can reach a server of this machine: `Host` says by which name it did, and `Origin` whose page it is.
 *
 * @see promises 25 and 26; Model Context Protocol 2025-11-25, transports, security warning
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import * as Result from "effect/Result"
import * as Principals from "./Principals.ts"
import * as Refusal from "./Refusal.ts"

/**
 * - `host`, `port`: where the server listens
 * - `allowedHosts`: further names by which it is reached, each with a port, or without for any port
 * - `allowedOrigins`: pages that may speak to it, as `https://example.org`
 * - `tokens`: of which each request carries one; none if there are none
 */
export interface GuardOptions {
  readonly host: string
  readonly port: number
  readonly allowedHosts: ReadonlyArray<string>
  readonly allowedOrigins: ReadonlyArray<string>
  readonly tokens: ReadonlyArray<Principals.Token>
}

/** Who a request is from, or why it is not taken. */
export type Guard = (request: IncomingMessage) => Result.Result<Principals.Principal, Refusal.Refusal>

/** Strangers keep no connection: there are only so many. */
const refusal = (status: number, message: string, headers: Readonly<Record<string, string>> = {}) =>
  Refusal.make(status, message, { ...headers, Connection: "close" })

const foreignHost = refusal(403, "The Host header names none of this server's addresses. Allow it by --allow-host.")
const foreignOrigin = refusal(403, "Pages of this Origin may not speak to this server. Allow it by --allow-origin.")
const noToken = refusal(401, "This server wants a token. Send it as Authorization: Bearer <token>.", {
  "WWW-Authenticate": "Bearer",
})
const wrongToken = refusal(401, "The token is none of this server's.", {
  "WWW-Authenticate": 'Bearer error="invalid_token"',
})

/** Addresses that only this machine can reach. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host)

/** A host as a URL and a Host header write it. */
export const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host)

/** Addresses that stand for all of a machine's are no name for it; those by which it can reach itself are. */
const wildcards: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
])

/** The host by which this machine reaches a server that listens there. */
export const named = (host: string): string => wildcards.get(host) ?? host

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
    // A browser leaves Origin out of what its pages merely load.
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
