/**
 * How the nodes of a cluster reach each other: WebSockets, over TLS with a certificate of each side, or plain on loopback.
 */
import { createServer as createPlainServer } from "node:http"
import { createServer } from "node:https"
import type { TLSSocket } from "node:tls"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeWS from "@effect/platform-node/NodeWS"
import * as Context from "effect/Context"
import * as HttpRunner from "effect/cluster/HttpRunner"
import type * as MessageStorage from "effect/cluster/MessageStorage"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as RunnerServer from "effect/cluster/RunnerServer"
import type * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Runners from "effect/cluster/Runners"
import type * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { ServeError } from "effect/http/HttpServerError"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as Socket from "effect/socket/Socket"
import type { ClusterTls } from "./ClusterTls.ts"
import * as Replies from "./Replies.ts"

/** How to reach the runners of a cluster, and to be reached. */
export interface TransportOptions {
  /** The certificates of this node. Without them nothing is encrypted and no peer is verified: for loopback only. */
  readonly tls?: ClusterTls
  /** The largest message between nodes, in bytes; 16 MiB by default. */
  readonly maxFrameBytes?: number
}

const defaultFrameBytes = 16 * 2 ** 20

/** How many runners' connections and failures are kept. */
const maxRunners = 1_000

/** How long a finished runner waits for its peers to close their connections. */
const closeWithin = "1 second"

/**
 * The connections to runners. The engine tries a runner again and again without an error: a call that times out reads the
 * cause here, and a turn ends here whose runner was lost.
 */
export class PeerFailures extends Context.Service<
  PeerFailures,
  {
    /** The failure of the last attempt to connect to a runner that has not been reached since; as a sentence. */
    readonly last: Effect.Effect<Option.Option<string>>
    /**
     * Completes when the last connection to a runner has closed: what it was answering is lost.
     *
     * @param address the host and the port, such as `node7:8930`
     */
    readonly lost: (address: string) => Effect.Effect<void>
    /** Counts a connection that opened. */
    readonly opened: (url: string) => void
    /** Counts a connection that closed, or did not open because of a failure. */
    readonly closed: (url: string, failure?: string) => void
  }
>()("@zain/cluster-client/PeerFailures") {
  /** Keeps the connections and failures of this process. */
  static readonly layer: Layer.Layer<PeerFailures> = Layer.sync(PeerFailures, () => {
    const failures = new Map<string, string>()
    const open = new Map<string, number>()
    const watchers = new Set<() => void>()
    const count = (url: string, change: number) => {
      const address = addressOf(url)
      const connections = (open.get(address) ?? 0) + change
      open.delete(address)
      open.set(address, connections)
      if (open.size > maxRunners) open.delete(String(open.keys().next().value))
      for (const watch of watchers) watch()
    }
    return {
      last: Effect.sync(() => Option.fromNullishOr([...failures.values()].at(-1))),
      lost: (address) =>
        Effect.callback<void>((resume) => {
          const watch = () => {
            if (open.get(address) !== 0) return
            watchers.delete(watch)
            resume(Effect.void)
          }
          watchers.add(watch)
          watch()
          return Effect.sync(() => watchers.delete(watch))
        }),
      opened: (url) => {
        failures.delete(url)
        count(url, 1)
      },
      closed: (url, failure) => {
        if (failure === undefined) return count(url, -1)
        failures.delete(url)
        failures.set(url, failure)
        if (failures.size > maxRunners) failures.delete(String(failures.keys().next().value))
      },
    }
  })
}

/** The host and the port of a URL, as a runner is registered. */
const addressOf = (url: string): string => {
  const { hostname, port, protocol } = new URL(url)
  return `${hostname.replace(/^\[(.*)\]$/, "$1")}:${port || (protocol === "wss:" ? 443 : 80)}`
}

/** The fault and its remedy, by the code of OpenSSL or Node. */
const failureOf = (url: string, { code = "no code", message }: NodeJS.ErrnoException, tls: boolean): string => {
  const runner = `The runner ${new URL(url).host}`
  if (/ALERT|^ECONNRESET$|^EPIPE$/.test(code) && tls)
    return `${runner} rejected this node's certificate (${code}). Use one that the cluster's authority issued and that is valid.`
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return `The certificate of the runner ${new URL(url).host} is not valid now (${code}). Renew it, and check the clocks.`
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return `The certificate of the runner ${new URL(url).host} is for another host (${code}). Issue one for its --advertise.`
  if (/WRONG_VERSION|PACKET_LENGTH|^EPROTO$/.test(code))
    return `${runner} does not use TLS (${code}). Start it with --tls-cert.`
  if (/CERT|SIGNATURE|UNABLE_TO/.test(code))
    return `The certificate of the runner ${new URL(url).host} is not trusted (${code}). Check \`tls.ca\`.`
  if (code === "ECONNRESET") return `${runner} closed the connection (${code}). If it uses TLS, set \`tls\`.`
  return `${runner} cannot be reached (${code === "no code" ? message : code}). Check that it runs and its --advertise.`
}

const pem = ({ ca, cert, key }: ClusterTls) => ({ ca, cert, key: Redacted.value(key) })

const clientSockets = ({ maxFrameBytes = defaultFrameBytes, tls }: TransportOptions) =>
  Layer.effect(
    Socket.WebSocketConstructor,
    Effect.map(PeerFailures, ({ closed, opened }) => (url: string) => {
      const options = { maxPayload: maxFrameBytes, perMessageDeflate: false, ...(tls === undefined ? {} : pem(tls)) }
      const socket = new NodeWS.WebSocket(url, options)
      socket.on("open", () => {
        opened(url)
        socket.on("close", () => closed(url))
      })
      socket.on("error", (error) => closed(url, failureOf(url, error, tls !== undefined)))
      return socket
    }),
  )

const clientProtocol = (options: TransportOptions) =>
  HttpRunner.layerClientProtocolWebsocket({ path: "/", https: options.tls !== undefined }).pipe(
    Layer.provide(clientSockets(options)),
  )

/** Encodes messages for every node in the same way. */
const serialization = ({ maxFrameBytes = defaultFrameBytes }: TransportOptions) =>
  RpcSerialization.layerSchemaBinary({ maxFrameSize: maxFrameBytes })

type Storage = MessageStorage.MessageStorage | RunnerStorage.RunnerStorage | ShardingConfig.ShardingConfig

const replies = ({ tls }: TransportOptions) =>
  Layer.provide(Replies.layer(tls !== undefined), NodeHttpClient.layerNodeHttpOptions(tls && pem(tls)))

/** What a node has of the other nodes. */
export type Services = Sharding.Sharding | Runners.Runners | PeerFailures | Replies.Replies

/** A node that reaches runners, and that no node reaches. */
export const client = (options: TransportOptions): Layer.Layer<Services, never, Storage> =>
  RunnerServer.layerClientOnly.pipe(
    Layer.provide(clientProtocol(options)),
    Layer.provide(serialization(options)),
    Layer.provideMerge(Layer.merge(PeerFailures.layer, replies(options))),
  )

/** A runner: it listens on `runnerListenAddress` of the `ShardingConfig`, or on `runnerAddress`. */
export const runner = (options: TransportOptions): Layer.Layer<Services, ServeError, Storage> =>
  HttpRouter.serve(
    Layer.merge(
      HttpRunner.layerWebsocketOptions({ path: "/" }),
      Replies.route(options.maxFrameBytes ?? defaultFrameBytes),
    ),
    { disableLogger: true, disableListenLog: true },
  ).pipe(
    Layer.provide(RunnerHealth.layerPing),
    Layer.provide(Runners.layerRpc),
    Layer.provide([clientProtocol(options), server(options)]),
    Layer.provide(serialization(options)),
    Layer.provideMerge(Layer.merge(PeerFailures.layer, replies(options))),
  )

const server = ({ maxFrameBytes = defaultFrameBytes, tls }: TransportOptions) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { runnerAddress, runnerListenAddress } = yield* ShardingConfig.ShardingConfig
      const { host, port } = Option.getOrThrow(Option.orElse(runnerListenAddress, () => runnerAddress))
      const report = Effect.runForkWith(yield* Effect.context<never>())
      const create = () => {
        if (tls === undefined) return createPlainServer()
        const listening = createServer({ ...pem(tls), requestCert: true, rejectUnauthorized: true })
        return listening.on("tlsClientError", (error: NodeJS.ErrnoException, socket: TLSSocket) => {
          report(Effect.logDebug(`Refused a peer at ${socket.remoteAddress}: ${error.code ?? error.message}`))
        })
      }
      return NodeHttpServer.layer(create, {
        host,
        port,
        gracefulShutdownTimeout: closeWithin,
        websocket: { maxPayload: maxFrameBytes, perMessageDeflate: false },
      })
    }),
  )
