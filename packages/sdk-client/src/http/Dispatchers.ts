/**
 * What sends requests to an origin: straight for this machine, by the environment's proxies for others.
 */
import type { Socket } from "node:net"
import { InvalidRequest } from "@zain/core/McpError"
import * as Result from "effect/Result"
import type { buildConnector, Dispatcher } from "undici"

/**
 * - `abandon`: ends the connections that are still being made: nobody waits for them any more
 * - `destroy`: ends every connection
 */
export interface OriginDispatcher {
  readonly dispatcher: Dispatcher
  readonly abandon: () => void
  readonly destroy: () => Promise<void>
}

/** How long a connection may take to be made, in milliseconds. */
const connectLimit = 10_000

/** When a connection that was needed once is looked at again, in milliseconds. */
const clientTtl = 60_000

const options = { allowH2: false, bodyTimeout: 0, headersTimeout: 0, pipelining: 1, clientTtl }

/**
 * undici takes a twentieth of a second of CPU to load, so it is loaded when first needed. In a bundle its default is all
 * that a dynamic import gives.
 */
export const load = () => {
  loaded ??= import("undici").then(({ default: undici }) => undici as unknown as Undici)
  return loaded
}
type Undici = Pick<typeof import("undici"), "EnvHttpProxyAgent" | "Pool" | "buildConnector">
let loaded: Promise<Undici> | undefined

/** @returns what sends requests, or `InvalidRequest` with reason `invalid-config` when a proxy's address is none */
export const make = (undici: Undici, { hostname, origin }: URL): Result.Result<OriginDispatcher, InvalidRequest> => {
  const connecting = new Set<Socket>()
  // undici destroys no connection that is still being made.
  const tracked =
    (connect: buildConnector.connector): buildConnector.connector =>
    (to, callback) => {
      let socket: unknown
      socket = connect(to, (...outcome) => {
        connecting.delete(socket as Socket)
        callback(...outcome)
      })
      connecting.add(socket as Socket)
      return socket
    }
  const connect = tracked(undici.buildConnector({ timeout: connectLimit, allowH2: false }))
  const send = isLoopback(hostname)
    ? Result.succeed(new undici.Pool(origin, { ...options, connect }))
    : byProxy(undici, connect, tracked)
  const abandon = () => {
    for (const socket of connecting) socket.destroy()
  }
  return Result.map(send, (dispatcher) => ({
    dispatcher,
    abandon,
    destroy: () => {
      abandon()
      return dispatcher.destroy().catch(() => {})
    },
  }))
}

const proxyNames = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"]

const byProxy = (
  { EnvHttpProxyAgent, Pool }: Undici,
  connect: buildConnector.connector,
  tracked: (connect: buildConnector.connector) => buildConnector.connector,
): Result.Result<Dispatcher, InvalidRequest> => {
  for (const name of proxyNames) if (!isProxy(process.env[name])) return Result.fail(notAProxy(name))
  try {
    return Result.succeed(
      new EnvHttpProxyAgent({
        ...options,
        connect,
        connectTimeout: connectLimit,
        clientFactory: (to: URL, given: { connect: buildConnector.connector }) =>
          new Pool(to, { ...given, connect: tracked(given.connect), headersTimeout: connectLimit, clientTtl }),
      } as ConstructorParameters<typeof EnvHttpProxyAgent>[0]),
    )
  } catch {
    return Result.fail(notAProxy("HTTP_PROXY"))
  }
}

const isProxy = (value: string | undefined): boolean =>
  value === undefined || value === "" || (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))

/** Its value may hold a password, and is not shown. */
const notAProxy = (name: string) =>
  new InvalidRequest({
    reason: "invalid-config",
    message: `The proxy that the environment names in ${name} is no http URL. Write it as http://host:port.`,
    delivery: "not-sent",
  })

/** A proxy for another machine is none for this one. */
const isLoopback = (hostname: string): boolean =>
  /^(.+\.)?localhost\.?$/.test(hostname) ||
  /^127\.\d+\.\d+\.\d+$/.test(hostname) ||
  /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(hostname) ||
  ["0.0.0.0", "[::]", "[::1]"].includes(hostname)
