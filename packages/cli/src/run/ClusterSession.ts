/**
 * The configuration of a session on the runners of a cluster.
 */
import type { CommonOptions } from "@zain/agent-list/Agent"
import * as ClusterMcpClient from "@zain/cluster-client/ClusterMcpClient"
import * as ClusterTls from "@zain/cluster-client/ClusterTls"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import { invalidConfig, type McpError } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { Variables } from "../SafePath.ts"
import type { AgentSession } from "./AgentSession.ts"

/** The variables with the paths of this caller's certificate, its key, and the authority of the cluster. */
const tlsVariables: ClusterTls.Names = {
  cert: "ZAIN_CLUSTER_CERT",
  key: "ZAIN_CLUSTER_KEY",
  ca: "ZAIN_CLUSTER_CA",
}

/**
 * Prepares a session; it opens on a runner.
 *
 * @param cluster the URL of the database, without a password
 * @param env the environment, with the password and the paths of certificates
 * @param provider the name of the agent in the runners' files
 * @param options the agent's options, with the name of a workspace as `cwd`
 */
export const make = (cluster: string, env: Variables, provider: string, options: CommonOptions): AgentSession => ({
  make: client(cluster, env, provider),
  config: ClusterMcpClient.config(provider, { options: { ...options } }),
})

const client = Effect.fnUntraced(function* (
  cluster: string,
  env: Variables,
  provider: string,
): Effect.fn.Return<McpClientAdapter, McpError, Scope.Scope> {
  const url = URL.parse(cluster)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    return yield* invalidConfig("--cluster takes the URL of PostgreSQL, such as postgres://zain@db.internal/zain.")
  }
  if (url.password !== "") {
    return yield* invalidConfig("--cluster must have no password, which other users could read: set PGPASSWORD.")
  }
  url.password = env["PGPASSWORD"] ?? ""
  return yield* ClusterMcpClient.make({ provider, database: Redacted.make(url.href), ...(yield* tlsOf(env)) })
})

/** All three variables, or none. */
const tlsOf = Effect.fnUntraced(function* (env: Variables) {
  const { ca, cert, key } = tlsVariables
  const [caFile, certFile, keyFile] = [env[ca], env[cert], env[key]]
  if (caFile !== undefined && certFile !== undefined && keyFile !== undefined) {
    const read = ClusterTls.read({ ca: caFile, cert: certFile, key: keyFile }, tlsVariables)
    return { tls: yield* Effect.mapError(read, ({ message }) => invalidConfig(message)) }
  }
  const missing = [ca, cert, key].filter((name) => env[name] === undefined)
  return missing.length === 3
    ? {}
    : yield* invalidConfig(`${missing.join(" and ")} must be set for TLS, as the others are.`)
})
