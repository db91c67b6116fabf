/**
 * An `McpClient` for any agent that serves MCP, given what is different about it.
 */
import { randomUUID } from "node:crypto"
import type { McpApprovalPolicy } from "@zain/core/McpApproval"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import { clip, InvalidRequest } from "@zain/core/McpError"
import * as McpSessionRuntime from "@zain/core/McpSessionRuntime"
import * as SchemaProblem from "@zain/core/SchemaProblem"
import * as HostGuard from "@zain/process/HostGuard"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as Scope from "effect/Scope"
import type { AgentProfile } from "./AgentProfile.ts"
import * as Conversation from "./Conversation.ts"
import * as Failure from "./Failure.ts"
import * as HttpPool from "./http/HttpPool.ts"
import { type McpWire, nameOf, type WireFactory } from "./McpWire.ts"
import * as SdkHandshake from "./SdkHandshake.ts"
import * as SessionHost from "./SessionHost.ts"
import * as Target from "./Target.ts"

/**
 * - `options`: the provider's options for every session; `providerOptions` of a configuration override them one by one
 * - `approvals`: what decides when the agent asks; by default what `McpApproval` says where the adapter is made
 * - `maxTotalEventBytes`: how many bytes of events may wait for the readers of all sessions, at 2 bytes a character; 128 MiB
 *   by default. `maxEventBytes` of a configuration says it for one session
 * - `connect`: how to open a wire; by the transport of the configuration by default. For tests, and for wires that Zain does not know
 */
export interface Options<ProviderOptions> {
  readonly options?: ProviderOptions
  readonly approvals?: McpApprovalPolicy
  readonly maxTotalEventBytes?: number
  readonly connect?: WireFactory
}

/**
 * An adapter for the agent of a profile. Its sessions, and every process of theirs, end with the Scope.
 *
 * @param profile what is different about the agent. A function of it that throws ends the session's wire with
 *   `ConnectionUnavailable`, reason `protocol-violation`
 *
 * **Example**
 *
 * ```ts
 * import { type AgentProfile, SdkMcpClient } from "@zain/sdk-client"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const profile: AgentProfile.AgentProfile<object> = {
 *   provider: "parrot",
 *   supports: { streaming: false, approvals: false, cancelKeepsConversation: true, failureKeepsConversation: true },
 *   options: Schema.Struct({}),
 *   environment: ["PARROT_HOME"],
 *   conversation: "session",
 *   open: (target) =>
 *     Effect.succeed({
 *       target,
 *       call: (prompt) => ({ name: "repeat", arguments: { prompt } }),
 *       read: ({ content }) => Effect.succeed({ content: content?.[0]?.text ?? "", isError: false }),
 *     }),
 *   event: () => undefined,
 * }
 *
 * export const make = SdkMcpClient.make(profile)
 * ```
 *
 * @see design, §6 and §6a
 */
export const make = Effect.fnUntraced(function* <ProviderOptions>(
  profile: AgentProfile<ProviderOptions>,
  { approvals, connect, maxTotalEventBytes, options }: Options<ProviderOptions> = {},
): Effect.fn.Return<McpClientAdapter, never, Scope.Scope> {
  yield* warm
  const guard = yield* HostGuard.make
  const host = SessionHost.make(guard)
  const clientId = randomUUID()
  const openWire = connect ?? Target.wires(guard, yield* HttpPool.make)
  return yield* McpSessionRuntime.make({
    provider: profile.provider,
    supports: profile.supports,
    approvals,
    maxTotalEventBytes,
    connect: Effect.fnUntraced(function* (config, _, trace) {
      const chosen = yield* readOptions(profile, { ...options, ...config.providerOptions })
      const target = yield* Effect.fromResult(Target.make(config, profile.environment))
      const seen: { wire?: McpWire } = {}
      return yield* Effect.gen(function* () {
        const session = yield* profile.open(target, chosen, host)
        seen.wire = yield* openWire(session.target)
        return yield* Conversation.open(profile, session, seen.wire, clientId, trace)
      }).pipe(
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
  })
})

/** How long a new client waits for its first session before it loads what that needs, in milliseconds. */
const rest = 100

/** What loads before the first session does not count against its `connectTimeout`. */
const warm = Effect.acquireRelease(
  Effect.sync(() => setTimeout(() => void SdkHandshake.load().catch(() => {}), rest).unref()),
  (timer) => Effect.sync(() => clearTimeout(timer)),
)

const readOptions = <A>(profile: AgentProfile<A>, given: object): Effect.Effect<A, InvalidRequest> => {
  const wrong = (why: string) =>
    new InvalidRequest({
      reason: "invalid-config",
      message: clip(`The options for ${profile.provider} are wrong: ${why}`),
      delivery: "not-sent",
    })
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
