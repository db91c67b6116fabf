/**
 * The port over many machines: sessions of an agent on the runners of a cluster.
 */
import * as McpClientAdapter from "@zain/core/McpClientAdapter"
import { ConnectionUnavailable, invalidConfig, isMcpError, type McpError } from "@zain/core/McpError"
import * as McpPromiseClient from "@zain/core/McpPromiseClient"
import type { McpRequest } from "@zain/core/McpRequest"
import type { McpResponse } from "@zain/core/McpResponse"
import type { McpResult } from "@zain/core/McpResult"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as ClusterEngine from "./ClusterEngine.ts"
import * as ClusterTls from "./ClusterTls.ts"
import type { ClusterMcpClient, Options } from "./EngineClient.ts"
import * as EngineClient from "./EngineClient.ts"

export { configOf as config } from "./ConfigurationCodec.ts"
export type { ClusterMcpClient, Options } from "./EngineClient.ts"

/** How to reach the cluster; the database must be that of its runners. */
export interface ClusterOptions extends Options {
  /** The URL of the cluster's database, with its user and password: from the environment, not from an argument. */
  readonly database: string | Redacted.Redacted
  /** The certificates of this caller. Required, unless all runners listen on loopback only. */
  readonly tls?: ClusterTls.ClusterTls
}

/**
 * Makes a client of a cluster. Its sessions close with the Scope.
 *
 * Fails with `unreachable` if the database or every runner is, with `unauthorized` if the database rejects the credentials, and
 * with `invalid-config` for its URL, for an agent that the runners do not have, for a database of another version, and for
 * certificates that are none.
 *
 * @param options the agent, the database, and the certificates
 *
 * @example
 * ```ts
 * import { ClusterMcpClient } from "@zain/cluster-client"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const codex = yield* ClusterMcpClient.make({ provider: "codex", runners: "gpu", database: process.env["ZAIN_DATABASE_URL"] ?? "" })
 *   const session = yield* codex.openSession(ClusterMcpClient.config("codex", { options: { cwd: "website" } }))
 *   return yield* codex.execute(session, { content: "What does this repository do?" })
 * })
 * ```
 */
export const make = Effect.fnUntraced(function* ({
  database,
  tls,
  ...options
}: ClusterOptions): Effect.fn.Return<ClusterMcpClient, McpError, Scope.Scope> {
  if (tls !== undefined) {
    const checked = ClusterTls.check(tls, yield* Clock.currentTimeMillis)
    if (Result.isFailure(checked)) return yield* invalidConfig(checked.failure.message)
  }
  const engine = ClusterEngine.client({
    database: typeof database === "string" ? Redacted.make(database) : database,
    ...(tls === undefined ? {} : { tls }),
  })
  const context = yield* Effect.mapError(Layer.build(Layer.fresh(engine)), notReached)
  return yield* Effect.provideContext(EngineClient.over(options), context)
})

/** A cluster in this process, without a database. */
export interface LocalOptions extends Options {
  /** The agents of the process: `AgentRunner.layer` of `@zain/cluster-runner`. */
  readonly runner: ClusterEngine.Served
}

/**
 * Makes a client whose sessions run in this process, on a runner of its own: for programs that move to a cluster later, and for
 * tests. Keys of `executeOnce` do not outlive it. Everything ends with the Scope.
 *
 * Fails with `invalid-config` for an agent that the runner does not have.
 *
 * @param options the agent, and the runner
 */
export const local = ({ runner, ...options }: LocalOptions): Effect.Effect<ClusterMcpClient, McpError, Scope.Scope> =>
  Effect.flatMap(Layer.build(Layer.fresh(ClusterEngine.local(runner))), (context) =>
    Effect.provideContext(EngineClient.over(options), context),
  )

const notReached = ({ message, reason: why }: ClusterEngine.NodeError): McpError => {
  if (why !== "unavailable" && why !== "unauthorized") return invalidConfig(message)
  const reason = why === "unavailable" ? "unreachable" : why
  return new ConnectionUnavailable({ reason, message, delivery: "not-sent" })
}

/**
 * Layer of `make` as the services `McpClient`, `McpEvents`, `McpSteer` and `McpThreads`. It reads `McpApproval` when it is
 * built: provide the policy to the layer, or set `approvals`.
 *
 * @param options as for `make`
 */
export const layer = (options: ClusterOptions) => McpClientAdapter.layer(make(options))

/** A client with promises, and `executeOnce` beside its operations. */
export interface ClusterPromiseClient extends McpPromiseClient.McpPromiseClient {
  /**
   * As `executeOnce` of `ClusterMcpClient`.
   *
   * @param sessionId an id that `openSession` of this client returned
   * @param request the prompt, as for `execute`
   * @param key 1 to 256 characters
   * @param options `signal` cancels the turn
   */
  readonly executeOnce: <A = unknown>(
    sessionId: McpSessionId,
    request: McpRequest<A>,
    key: string,
    options?: Parameters<McpPromiseClient.McpPromiseClient["execute"]>[2],
  ) => Promise<McpResult<McpResponse<A>>>
}

/**
 * `make` or `local` for programs without Effect. Resolves with a failure where they fail.
 *
 * @param options as for `make`, or with `runner` as for `local`; without `approvals`
 * @param promise the approvals and the telemetry, as for `McpPromiseClient.make`
 */
export const promise = async (
  options: Omit<ClusterOptions, "approvals"> | Omit<LocalOptions, "approvals">,
  promise: McpPromiseClient.Options = {},
): Promise<McpResult<ClusterPromiseClient>> => {
  const keys = new WeakMap<object, string>()
  const keyed = Effect.map("runner" in options ? local(options) : make(options), (client) => ({
    ...client,
    execute: ((id, request) => {
      const key = keys.get(request)
      return key === undefined ? client.execute(id, request) : client.executeOnce(id, request, key)
    }) as ClusterMcpClient["execute"],
  }))
  try {
    const client = await McpPromiseClient.make(Effect.orDie(keyed), promise)
    return Result.succeed({
      ...client,
      executeOnce: (sessionId, request, key, options) => {
        const once = { ...request }
        keys.set(once, key)
        return client.execute(sessionId, once, options)
      },
    })
  } catch (error) {
    if (isMcpError(error)) return Result.fail(error)
    throw error
  }
}
