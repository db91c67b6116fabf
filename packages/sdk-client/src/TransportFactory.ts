/**
 * Connections to the agent of a profile. The differences between stdio, Streamable HTTP and SSE end here.
 *
 * @see seed, `CodexTransportFactory` and `ClaudeCodeTransportFactory`
 */
import { randomUUID } from "node:crypto"
import type { AgentConnection, Driver, TraceContext } from "@zain/core/AgentConnection"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { type InvalidRequest, invalidConfig, type McpError } from "@zain/core/McpError"
import * as SchemaProblem from "@zain/core/SchemaProblem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as Scope from "effect/Scope"
import type { AgentProfile } from "./AgentProfile.ts"
import * as ConnectionTarget from "./ConnectionTarget.ts"
import * as Conversation from "./Conversation.ts"
import * as Failure from "./Failure.ts"
import { type McpWire, nameOf, type WireFactory } from "./McpWire.ts"
import * as SdkHandshake from "./SdkHandshake.ts"

const connection: unique symbol = Symbol("@zain/sdk-client/ProviderClientHandle")

/** An open connection to an agent, its MCP handshake complete. Opaque: an adapter alone takes turns on it. */
export interface ProviderClientHandle {
  readonly [connection]: AgentConnection
}

/** The connection of a handle, for adapters. */
export const connectionOf = (handle: ProviderClientHandle): AgentConnection => handle[connection]

/**
 * - `options`: the provider's options for every session; `providerOptions` of a configuration override them one by one
 * - `connect`: how to open a wire; by the transport of the configuration by default. For tests, and for wires that Zain does not know
 */
export interface Options<ProviderOptions> {
  readonly options?: ProviderOptions
  readonly connect?: WireFactory
}

/**
 * - `create`: opens a connection, which belongs to the Scope. Fails with `ConnectionUnavailable`; with `InvalidRequest`
 *   (`invalid-config`) for options that the provider does not know. `trace`: the span that the handshake names
 */
export interface TransportFactory extends Pick<Driver, "causeOf" | "provider" | "supports" | "vendor"> {
  readonly create: (
    config: McpConnectionConfig.Parsed,
    trace?: TraceContext | undefined,
  ) => Effect.Effect<ProviderClientHandle, McpError, Scope.Scope>
}

/**
 * The factory of one adapter: its connections share a host guard and a pool of HTTP connections, which end with the Scope.
 *
 * @param profile what is different about the agent
 */
export const make = Effect.fnUntraced(function* <ProviderOptions>(
  profile: AgentProfile<ProviderOptions>,
  { connect, options }: Options<ProviderOptions> = {},
): Effect.fn.Return<TransportFactory, never, Scope.Scope> {
  yield* warm
  const shared = yield* Layer.build(ConnectionTarget.layer)
  const clientId = randomUUID()
  return {
    provider: profile.provider,
    supports: profile.supports,
    vendor: profile.vendor,
    causeOf: profile.causeOf,
    create: Effect.fnUntraced(function* (config, trace) {
      const chosen = yield* readOptions(profile, { ...options, ...config.providerOptions })
      const target = yield* Effect.fromResult(ConnectionTarget.make(config, profile.environment))
      const seen: { wire?: McpWire } = {}
      return yield* Effect.gen(function* () {
        const session = yield* profile.open(target, chosen)
        seen.wire = yield* (connect ?? ConnectionTarget.open)(session.target)
        return { [connection]: yield* Conversation.open(profile, session, seen.wire, clientId, trace) }
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

/**
 * One connection by a factory that is made for it.
 *
 * @param making the factory
 * @param config where the server is; a configuration that cannot be read is `InvalidRequest`, reason `invalid-config`
 */
export const create = <E, R>(
  making: Effect.Effect<TransportFactory, E, R>,
  config: McpConnectionConfig.McpConnectionConfig,
) =>
  Effect.flatMap(making, (factory) =>
    Effect.flatMap(Effect.fromResult(McpConnectionConfig.parse(config)), (parsed) => factory.create(parsed)),
  )

/** How long a new client waits for its first session before it loads what that needs, in milliseconds. */
const rest = 100

/** What loads before the first session does not count against its `connectTimeout`. */
const warm = Effect.acquireRelease(
  Effect.sync(() => setTimeout(() => void SdkHandshake.load().catch(() => {}), rest).unref()),
  (timer) => Effect.sync(() => clearTimeout(timer)),
)

const readOptions = <A>(profile: AgentProfile<A>, given: object): Effect.Effect<A, InvalidRequest> => {
  const wrong = (why: string) => invalidConfig(`The options for ${profile.provider} are wrong: ${why}`)
  const [key] = Object.keys(given)
  // To Effect a struct without fields is anything at all.
  if (key !== undefined && hasNoFields(profile.options)) {
    return Effect.fail(wrong(`\`providerOptions.${key}\` is not known: this provider has none.`))
  }
  return Schema.decodeUnknownEffect(profile.options, { onExcessProperty: "error" })(given).pipe(
    Effect.mapError((failure) => wrong(`${SchemaProblem.explain(failure, ["providerOptions"])}.`)),
    Effect.tap((options) => {
      const nul = SchemaProblem.nul(options, ["providerOptions"])
      return nul === undefined ? Effect.void : Effect.fail(wrong(`${nul}.`))
    }),
  )
}

const hasNoFields = ({ ast }: Schema.Top): boolean =>
  SchemaAST.isObjects(ast) && ast.propertySignatures.length === 0 && ast.indexSignatures.length === 0
