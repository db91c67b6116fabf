/**
 * Opens connections to the agent of a profile over stdio, Streamable HTTP or SSE.
 *
 * @see seed, `CodexTransportFactory` and `ClaudeCodeTransportFactory`
 */
import { randomUUID } from "node:crypto"
import type { AgentConnection, Driver, TraceContext } from "@zain/core/AgentConnection"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { invalidConfig, type McpError } from "@zain/core/McpError"
import type { ToolDefinition } from "@zain/core/ToolDefinition"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { AgentProfile } from "./AgentProfile.ts"
import * as ConnectionTarget from "./ConnectionTarget.ts"
import * as Conversation from "./Conversation.ts"
import * as Failure from "./Failure.ts"
import { type McpWire, nameOf, type WireFactory } from "./McpWire.ts"
import * as ProviderOptions from "./ProviderOptions.ts"

const connection: unique symbol = Symbol("@zain/sdk-client/ProviderClientHandle")

/** An open connection to an agent, after the MCP handshake. Opaque: only an adapter executes turns on it. */
export interface ProviderClientHandle {
  /** The connection; read it with `connectionOf`. */
  readonly [connection]: AgentConnection
}

/**
 * Returns the connection in a handle, on which an adapter runs turns.
 *
 * @param handle the result of `create`
 */
export const connectionOf = (handle: ProviderClientHandle): AgentConnection => handle[connection]

/** The provider's options of every connection of an adapter, and how its wire is opened; all are optional. */
export interface Options<ProviderOptions> {
  /** The provider's options for every session; each member is overridden by `providerOptions` of a configuration. */
  readonly options?: ProviderOptions
  /** Opens the wire, for tests and for other transports. By default the transport of the configuration. */
  readonly connect?: WireFactory
}

/** Opens connections for one adapter; `provider`, `supports`, `vendor` and `causeOf` are those of its profile. */
export interface TransportFactory extends Pick<Driver, "causeOf" | "provider" | "supports" | "vendor"> {
  /**
   * Opens a connection, which is closed with the Scope. Fails with `ConnectionUnavailable`, and with `InvalidRequest`, reason
   * `invalid-config`, for options that the provider does not accept.
   *
   * @param config the configuration of the server, as `McpConnectionConfig.parse` returns it
   * @param trace the W3C trace context to send in `_meta` of `initialize`; none if omitted
   * @param tools the definitions of the configuration's `tools`, as a client passes them. Without them, a configuration with
   *   `tools` fails with `invalid-config`
   */
  readonly create: (
    config: McpConnectionConfig.Parsed,
    trace?: TraceContext | undefined,
    tools?: ReadonlyArray<ToolDefinition> | undefined,
  ) => Effect.Effect<ProviderClientHandle, McpError, Scope.Scope>
}

/**
 * Makes the factory of one adapter. Its connections share a `HostGuard`, which ends their processes if this program
 * dies, and a pool of HTTP connections; both close with the Scope.
 *
 * @param profile the definition of the agent: how to open a session, call its server and read the results
 * @param options the provider's default options, and how to open a wire; by default none, and the transport of each
 *   configuration
 */
export const make = Effect.fnUntraced(function* <ProviderOptions>(
  profile: AgentProfile<ProviderOptions>,
  { connect, options }: Options<ProviderOptions> = {},
): Effect.fn.Return<TransportFactory, never, Scope.Scope> {
  const shared = yield* Layer.build(ConnectionTarget.layer)
  const clientId = randomUUID()
  return {
    provider: profile.provider,
    supports: profile.supports,
    vendor: profile.vendor,
    causeOf: profile.causeOf,
    create: Effect.fnUntraced(function* (config, trace, tools) {
      if (config.tools.length > 0 && tools === undefined) return yield* Effect.fail(toolless)
      const chosen = yield* ProviderOptions.read(profile.provider, profile.options, {
        ...options,
        ...config.providerOptions,
      })
      if (config.shared && profile.shares !== true) {
        return yield* Effect.fail(
          invalidConfig(`\`shared\` is for Zain's agent servers; ${profile.provider} has none here.`),
        )
      }
      const target = yield* Effect.fromResult(ConnectionTarget.make(config, profile.environment))
      const seen: { wire?: McpWire } = {}
      return yield* Effect.gen(function* () {
        const session = yield* profile.open(target, chosen)
        seen.wire = yield* (connect ?? ConnectionTarget.open)(session.target)
        return { [connection]: yield* Conversation.open(profile, session, seen.wire, clientId, trace, tools) }
      }).pipe(
        Effect.provideContext(shared),
        Effect.timeoutOrElse({
          duration: config.connectTimeout,
          orElse: () =>
            Effect.fail(
              Failure.connectTimeout(
                { server: nameOf(target), delivery: "not-sent", diagnostics: seen.wire?.diagnostics() ?? {} },
                config.connectTimeout,
              ),
            ),
        }),
        Effect.mapError(Failure.notSent),
      )
    }),
  }
})

const toolless = invalidConfig("`tools` need a client, whose turns call them. Open the session with `openSession`.")

/**
 * Makes a factory and opens one connection with it; both close with the Scope. Fails with `ConnectionUnavailable`, and
 * with `InvalidRequest`, reason `invalid-config`, for an invalid configuration.
 *
 * @param making the Effect that makes the factory, such as what `make` returns
 * @param config the server and its limits; `connectTimeout` covers the start, the handshake and the opening of the
 *   conversation
 */
export const create = <E, R>(
  making: Effect.Effect<TransportFactory, E, R>,
  config: McpConnectionConfig.McpConnectionConfig,
) =>
  Effect.flatMap(making, (factory) =>
    Effect.flatMap(Effect.fromResult(McpConnectionConfig.parse(config)), (parsed) => factory.create(parsed)),
  )
