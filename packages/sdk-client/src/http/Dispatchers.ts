/**
 * What sends requests to an origin: straight for this machine, by the environment's proxies for others.
 */
import type { Socket } from "node:net"
import { type InvalidRequest, invalidConfig } from "@zain/core/McpError"
import * as Result from "effect/Result"
import type { buildConnector, Dispatcher } from "undici"
import * as TlsIdentity from "./TlsIdentity.ts"

/**
 * - `abandon`: ends the connections that are still being made: nobody waits for them any more
 * - `destroy`: ends every connection
 */
export interface OriginDispatcher {
  readonly dispatcher: Dispatcher
  readonly abandon: () => void
  readonly destroy: () => Promise<void>
}

/**
 * - `shared`: whose connections serve one request after the other
 * - `alone`: makes one that has no connection yet
 * - `keeps`: whether the server has never ended a connection of its own accord
 */
export interface Origin {
  readonly shared: OriginDispatcher
  readonly alone: () => OriginDispatcher
  readonly keeps: () => boolean
}

/** How long a connection may take to be made, in milliseconds. */
const connectLimit = 10_000

/** When a connection that was needed once is looked at again, in milliseconds. */
const clientTtl = 60_000

const options = { allowH2: false, bodyTimeout: 0, headersTimeout: 0, pipelining: 1 }

/**
 * undici takes a twentieth of a second of CPU to load, so it is loaded when first needed. In a bundle its default is all
 * that a dynamic import gives.
 */
export const load = () => {
  loaded ??= import("undici").then(({ default: undici }) => undici as unknown as Undici)
  return loaded
}
type Undici = Pick<typeof import("undici"), "Client" | "EnvHttpProxyAgent" | "Pool" | "buildConnector">
let loaded: Promise<Undici> | undefined

/** What makes a connection, and lets go of those that it is still making. */
interface Connecting {
  readonly connect: buildConnector.connector
  readonly track: (connect: buildConnector.connector) => buildConnector.connector
  readonly abandon: () => void
}

/** undici destroys no connection that is still being made. */
const connecting = (base: buildConnector.connector, onTheirEnd: () => void): Connecting => {
  const sockets = new Set<Socket>()
  const track =
    (connect: buildConnector.connector): buildConnector.connector =>
    (to, callback) => {
      let socket: unknown
      socket = connect(to, (...outcome) => {
        sockets.delete(socket as Socket)
        const [, made] = outcome
        made?.once("end", onTheirEnd).once("error", (error) => {
          if (isTheirs(error)) onTheirEnd()
        })
        callback(...outcome)
      })
      sockets.add(socket as Socket)
      return socket
    }
  const abandon = () => {
    for (const socket of sockets) socket.destroy()
  }
  return { track, abandon, connect: track(base) }
}

/**
 * @param tls what the connections identify servers and themselves by, where that is not the platform's
 * @returns what sends requests, or `InvalidRequest` with reason `invalid-config` when a proxy's address or `tls` is none
 */
export const make = (
  undici: Undici,
  { hostname, origin }: URL,
  tls: TlsIdentity.TlsIdentity | undefined,
): Result.Result<Origin, InvalidRequest> =>
  Result.flatMap(TlsIdentity.context(tls), (identity) => {
    const isDirect = isLoopback(hostname)
    const base = undici.buildConnector({ ...identity, timeout: connectLimit, allowH2: false })
    let keeps = true
    const onTheirEnd = () => {
      keeps = false
    }
    const over = (made: Connecting, dispatcher: Dispatcher): OriginDispatcher => {
      const destroy = () => {
        made.abandon()
        return dispatcher.destroy().catch(() => {})
      }
      return { dispatcher, destroy, abandon: made.abandon }
    }
    const byProxy = (): Result.Result<OriginDispatcher, InvalidRequest> => {
      const made = connecting(base, onTheirEnd)
      return Result.map(proxied(undici, made, identity), (dispatcher) => over(made, dispatcher))
    }
    const direct = (): OriginDispatcher => {
      const made = connecting(base, onTheirEnd)
      return over(made, new undici.Pool(origin, { ...options, clientTtl, connect: made.connect }))
    }
    return Result.map(isDirect ? Result.succeed(direct()) : byProxy(), (shared) => ({
      shared,
      keeps: () => keeps,
      alone: () => {
        if (!isDirect) return Result.getOrElse(byProxy(), () => ({ ...shared, abandon() {}, destroy: async () => {} }))
        const made = connecting(base, onTheirEnd)
        return over(made, new undici.Client(origin, { ...options, connect: made.connect }))
      },
    }))
  })

/** A connection that the other side has ended, and that was not ended by ours. */
const isTheirs = ({ code }: NodeJS.ErrnoException) => code === "UND_ERR_SOCKET" || code === "ECONNRESET"

const proxyNames = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"]

const proxied = ({ EnvHttpProxyAgent, Pool }: Undici, { connect, track }: Connecting, identity: object) => {
  for (const name of proxyNames) if (!isProxy(process.env[name])) return Result.fail(notAProxy(name))
  try {
    return Result.succeed(
      new EnvHttpProxyAgent({
        ...options,
        clientTtl,
        connect,
        connectTimeout: connectLimit,
        requestTls: identity,
        clientFactory: (to: URL, given: { connect: buildConnector.connector }) =>
          new Pool(to, { ...given, connect: track(given.connect), headersTimeout: connectLimit, clientTtl }),
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
  invalidConfig(`The proxy that the environment names in ${name} is no http URL. Write it as http://host:port.`)

/** A proxy for another machine is none for this one. */
const isLoopback = (hostname: string): boolean =>
  /^(.+\.)?localhost\.?$/.test(hostname) ||
  /^127\.\d+\.\d+\.\d+$/.test(hostname) ||
  /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(hostname) ||
  ["0.0.0.0", "[::]", "[::1]"].includes(hostname)
