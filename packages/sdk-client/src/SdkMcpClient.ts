/**
 * Makes an `McpClient` for any agent that serves MCP, from the agent's profile.
 */
import type { Driver } from "@zain/core/AgentConnection"
import type { McpApprovalPolicy } from "@zain/core/McpApproval"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import * as McpSessionRuntime from "@zain/core/McpSessionRuntime"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AgentProfile } from "./AgentProfile.ts"
import * as TransportFactory from "./TransportFactory.ts"

/** Who decides the approvals of an adapter's sessions, and how many events they may buffer; all are optional. */
export interface SessionOptions {
  /**
   * The policy of every session, for programs with Effect; with promises, set `approvals` of `McpPromiseClient.make`.
   * By default the service `McpApproval` where the adapter is made.
   */
  readonly approvals?: McpApprovalPolicy
  /**
   * How many bytes of unread events all sessions may buffer together, at 2 bytes a character; 128 MiB by default. While
   * they are used up, slow readers miss events, and receive a `Dropped` event with their number. `maxEventBytes` of a
   * configuration limits one session.
   */
  readonly maxTotalEventBytes?: number
}

/** The options of an adapter: of its connections, and of its sessions; all are optional. */
export interface Options<ProviderOptions> extends TransportFactory.Options<ProviderOptions>, SessionOptions {}

/**
 * Makes an adapter for the agent of a profile. Its sessions and their processes end with the Scope.
 *
 * @param profile the definition of the agent. If a function of it throws while it handles a message of the server, the
 *   session ends with `ConnectionUnavailable`, reason `protocol-violation`; if `call` throws, `execute` dies with the
 *   error; if `interrupted` throws, it is called again before the next turn, which fails with `conversation-lost` if it
 *   throws again
 * @param options the provider's default options, the approval policy, and how many bytes of unread events the sessions
 *   may buffer together
 *
 * @example
 * ```ts
 * import { type AgentProfile, SdkMcpClient } from "@zain/sdk-client"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const profile: AgentProfile.AgentProfile<object> = {
 *   provider: "parrot",
 *   supports: { streaming: false, approvals: false, cancelKeepsConversation: true, failureKeepsConversation: true, background: false },
 *   options: Schema.Struct({}),
 *   environment: ["PARROT_HOME"],
 *   conversation: "session",
 *   open: (target) =>
 *     Effect.succeed<AgentProfile.AgentSession>({
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
 * @see docs/guides/write-an-adapter.md
 */
export const make = <ProviderOptions>(
  profile: AgentProfile<ProviderOptions>,
  options: Options<ProviderOptions> = {},
): Effect.Effect<McpClientAdapter, never, Scope.Scope> => over(TransportFactory.make(profile, options), options)

/**
 * Makes an adapter from a factory: each `openSession` calls `create` once.
 *
 * @param factory the result of `TransportFactory.make`
 * @param options the approval policy, and how many bytes of unread events the sessions may buffer together
 */
export const over = Effect.fnUntraced(function* (
  factory: Effect.Effect<TransportFactory.TransportFactory, never, Scope.Scope>,
  { approvals, maxTotalEventBytes }: SessionOptions = {},
): Effect.fn.Return<McpClientAdapter, never, Scope.Scope> {
  return yield* McpSessionRuntime.make({ ...(yield* driver(factory)), approvals, maxTotalEventBytes })
})

/**
 * The driver of an adapter, for programs that run its sessions elsewhere, such as the runners of a cluster.
 *
 * @param factory the result of `TransportFactory.make`
 */
export const driver = (
  factory: Effect.Effect<TransportFactory.TransportFactory, never, Scope.Scope>,
): Effect.Effect<Driver, never, Scope.Scope> =>
  Effect.map(factory, ({ create, ...agent }) => ({
    ...agent,
    connect: (config, _, trace, tools) => Effect.map(create(config, trace, tools), TransportFactory.connectionOf),
  }))
