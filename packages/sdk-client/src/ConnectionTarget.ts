/**
 * Turns a configuration into a target, and opens the wire of the target's transport.
 */
import type * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { InvalidRequest, McpError } from "@zain/core/McpError"
import * as StdioUrl from "@zain/core/StdioUrl"
import * as Environment from "@zain/process/Environment"
import * as HeaderSecrets from "@zain/process/HeaderSecrets"
import * as HostGuard from "@zain/process/HostGuard"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as HttpHeaders from "./http/HttpHeaders.ts"
import * as HttpPool from "./http/HttpPool.ts"
import * as SseWire from "./http/SseWire.ts"
import * as StreamableHttpWire from "./http/StreamableHttpWire.ts"
import type { HttpTarget, McpWire, StdioTarget, WireTarget } from "./McpWire.ts"
import * as SharedServer from "./stdio/SharedServer.ts"
import * as StdioWire from "./stdio/StdioWire.ts"

/**
 * @param config a parsed configuration
 * @param environment the variables of the host that are passed on, in addition to the default ones: see `AgentProfile`
 * @returns the target, or `InvalidRequest` with reason `invalid-config`
 */
export const make = (
  config: McpConnectionConfig.Parsed,
  environment: ReadonlyArray<string>,
): Result.Result<WireTarget, InvalidRequest> =>
  config.transport === "stdio" ? Result.succeed(stdio(config, environment)) : http(config, config.transport)

const stdio = (config: McpConnectionConfig.Parsed, environment: ReadonlyArray<string>): StdioTarget => {
  // A parsed configuration with this transport always has a stdio URL.
  const command = StdioUrl.parse(config.serverUrl) as StdioUrl.StdioCommand
  const passed = Environment.make(process.env, environment, config.env)
  const ownTemporary = !Environment.temporary.some((name) => name in config.env)
  const { shared: isShared } = config
  return { transport: "stdio", isShared, ...command, ...passed, ownTemporary, ...limitsOf(config) }
}

const limitsOf = ({
  closeGrace,
  maxMessageBytes,
  maxMessageDepth: maxDepth,
  maxMessageElements: maxElements,
}: McpConnectionConfig.Parsed) => ({ closeGrace, maxMessageBytes, shape: { maxDepth, maxElements } })

const http = (config: McpConnectionConfig.Parsed, transport: HttpTarget["transport"]) =>
  Result.map(
    HttpHeaders.check(Object.fromEntries(Object.entries(config.headers).map(([name, v]) => [name, Redacted.value(v)]))),
    (headers) => {
      const { serverUrl, tls } = config
      const secrets = [...HeaderSecrets.of(headers), ...queryOf(serverUrl), ...Environment.proxySecrets(process.env)]
      const identity = tls === undefined ? {} : { tls }
      return { transport, url: serverUrl, headers, ...limitsOf(config), secrets, ...identity }
    },
  )

/** In characters. A shorter value is likely a common word; redacting it would remove that word from every message. */
const minQueryLength = 8

/** Some servers take an API key in the query, as a value or as the whole query. */
const queryOf = (url: string): ReadonlyArray<string> => {
  const { search, searchParams } = new URL(url)
  const raw = search.slice(1).split("&")
  const values = raw.map((pair) => pair.slice(pair.indexOf("=") + 1))
  return [...searchParams.values(), ...values].filter((value) => value.length >= minQueryLength)
}

/** The services that the wires of one client share. */
export type Shared = HostGuard.HostGuard | HttpPool.HttpPool | SharedServer.SharedServers

/** The guard of their processes, their agent servers, and the pool of their connections. */
export const layer: Layer.Layer<Shared> = Layer.merge(
  Layer.provideMerge(SharedServer.layer, HostGuard.layer),
  HttpPool.layer,
)

/** Opens a wire of the target's transport. */
export const open = (target: WireTarget): Effect.Effect<McpWire, McpError, Scope.Scope | Shared> => {
  if (target.transport === "stdio") return StdioWire.open(target)
  return target.transport === "sse" ? SseWire.open(target) : StreamableHttpWire.open(target)
}
