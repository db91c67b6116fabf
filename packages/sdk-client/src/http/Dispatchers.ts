/**
 * Sends requests to an origin: directly to this machine, through the environment's proxies to others.
 */
import type { Socket } from "node:net"
import { type InvalidRequest, invalidConfig } from "@zain/core/McpError"
import * as Result from "effect/Result"
import type { buildConnector, Dispatcher } from "undici"
import * as OriginProxy from "./OriginProxy.ts"
import * as StreamRefusal from "./StreamRefusal.ts"
import * as TlsIdentity from "./TlsIdentity.ts"

/** An undici dispatcher for one origin, and how to end its connections. */
export interface OriginDispatcher {
  /** Sends requests to the origin. */
  readonly dispatcher: Dispatcher
  /** Ends the connections that are not yet established; no request is waiting for them. */
  readonly abandon: () => void
  /** Lets the program end although a request is under way. */
  readonly unref: () => void
  /** Ends every connection. Never rejects. */
  readonly destroy: () => Promise<void>
}

/** The connections to one origin. */
export interface Origin {
  /** The dispatcher whose connections are reused from request to request. */
  readonly shared: OriginDispatcher
  /** Makes a dispatcher without an established connection. */
  readonly alone: () => OriginDispatcher
  /** True until the server ends a connection by itself. */
  readonly keeps: () => boolean
  /** Which server of the origin does not offer a stream of its own. */
  readonly refusal: StreamRefusal.StreamRefusal
}

/** The limit for establishing a connection, in milliseconds. */
const connectTimeoutMillis = 10_000

/** The idle time after which undici removes the client of a connection, in milliseconds. */
const clientTtl = 60_000

const options = { allowH2: false, bodyTimeout: 0, headersTimeout: 0, pipelining: 1 }

/**
 * Loads undici when it is first needed, because loading takes 50 ms of CPU. In a bundle a dynamic import has only the
 * default export.
 */
export const load = () => {
  loaded ??= import("undici").then(({ default: undici }) => undici as unknown as Undici)
  return loaded
}
type Undici = Pick<typeof import("undici"), "Client" | "EnvHttpProxyAgent" | "Pool" | "buildConnector">
let loaded: Promise<Undici> | undefined

/** A connector that can destroy the connections that it is still establishing. */
interface Connecting {
  readonly connect: buildConnector.connector
  readonly track: (connect: buildConnector.connector) => buildConnector.connector
  readonly abandon: () => void
  readonly unref: () => void
}

/** undici itself does not destroy a connection that is not yet established. */
const connecting = (base: buildConnector.connector, onTheirEnd: () => void): Connecting => {
  const sockets = new Set<Socket>()
  let established: Socket | undefined
  const track =
    (connect: buildConnector.connector): buildConnector.connector =>
    (to, callback) => {
      let socket: unknown
      socket = connect(to, (...outcome) => {
        sockets.delete(socket as Socket)
        const [, made] = outcome
        established = made ?? undefined
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
  return { track, abandon, unref: () => established?.unref(), connect: track(base) }
}

/**
 * @param tls the certificate authority and client certificate, instead of the platform's
 * @returns the connections, or `InvalidRequest` with reason `invalid-config` for an invalid proxy URL or `tls`
 */
export const make = (
  undici: Undici,
  url: URL,
  tls: TlsIdentity.TlsIdentity | undefined,
): Result.Result<Origin, InvalidRequest> =>
  Result.flatMap(TlsIdentity.context(tls), (identity) => {
    const { origin } = url
    const proxy = OriginProxy.of(url)
    const base = undici.buildConnector({ ...identity, timeout: connectTimeoutMillis, allowH2: false })
    let keeps = true
    const refusal = StreamRefusal.make()
    const onTheirEnd = () => {
      keeps = false
      refusal.forget()
    }
    const over = (made: Connecting, dispatcher: Dispatcher): OriginDispatcher => {
      const destroy = () => {
        made.abandon()
        return dispatcher.destroy().catch(() => {})
      }
      return { dispatcher, destroy, abandon: made.abandon, unref: made.unref }
    }
    const byProxy = (): Result.Result<OriginDispatcher, InvalidRequest> => {
      const made = connecting(base, onTheirEnd)
      return Result.map(proxied(undici, made, identity, proxy), (dispatcher) => over(made, dispatcher))
    }
    const direct = (): OriginDispatcher => {
      const made = connecting(base, onTheirEnd)
      return over(made, new undici.Pool(origin, { ...options, clientTtl, connect: made.connect }))
    }
    return Result.map(proxy === undefined ? Result.succeed(direct()) : byProxy(), (shared) => ({
      shared,
      keeps: () => keeps,
      refusal,
      alone: () => {
        if (proxy !== undefined)
          return Result.getOrElse(byProxy(), () => ({ ...shared, abandon() {}, destroy: async () => {} }))
        const made = connecting(base, onTheirEnd)
        return over(made, new undici.Client(origin, { ...options, connect: made.connect }))
      },
    }))
  })

/** Whether the server ended the connection, not this client. */
const isTheirs = ({ code }: NodeJS.ErrnoException) => code === "UND_ERR_SOCKET" || code === "ECONNRESET"

const proxyNames = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"]

const proxied = (
  { EnvHttpProxyAgent, Pool }: Undici,
  { connect, track }: Connecting,
  identity: object,
  proxy: string | undefined,
) => {
  for (const name of proxyNames) if (!isProxy(process.env[name])) return Result.fail(notAProxy(name))
  try {
    return Result.succeed(
      new EnvHttpProxyAgent({
        ...options,
        httpProxy: proxy,
        httpsProxy: proxy,
        noProxy: "",
        clientTtl,
        connect,
        connectTimeout: connectTimeoutMillis,
        requestTls: identity,
        clientFactory: (to: URL, given: { connect: buildConnector.connector }) =>
          new Pool(to, { ...given, connect: track(given.connect), headersTimeout: connectTimeoutMillis, clientTtl }),
      } as ConstructorParameters<typeof EnvHttpProxyAgent>[0]),
    )
  } catch {
    return Result.fail(notAProxy("HTTP_PROXY"))
  }
}

const isProxy = (value: string | undefined): boolean =>
  value === undefined || value === "" || (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))

/** The message omits the value, which may contain a password. */
const notAProxy = (name: string) =>
  invalidConfig(`The environment variable ${name} is not an http URL of a proxy. Set it to http://host:port.`)
