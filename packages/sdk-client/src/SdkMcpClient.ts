/**
 * An `McpClient` for any agent that serves MCP, given what is different about it.
 */
import type { McpApprovalPolicy } from "@zain/core/McpApproval"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import * as McpSessionRuntime from "@zain/core/McpSessionRuntime"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AgentProfile } from "./AgentProfile.ts"
import * as TransportFactory from "./TransportFactory.ts"

/**
 * - `approvals`: what decides when the agent asks; by default what `McpApproval` says where the adapter is made
 * - `maxTotalEventBytes`: how many bytes of events may wait for the readers of all sessions, at 2 bytes a character; 128 MiB
 *   by default. `maxEventBytes` of a configuration says it for one session
 */
export interface SessionOptions {
  readonly approvals?: McpApprovalPolicy
  readonly maxTotalEventBytes?: number
}

/** Those of the connections and those of the sessions. */
export interface Options<ProviderOptions> extends TransportFactory.Options<ProviderOptions>, SessionOptions {}

/**
 * An adapter for the agent of a profile. Its sessions, and every process of theirs, end with the Scope.
 *
 * @param profile what is different about the agent. A function of it that throws ends the session's wire with
 *   `ConnectionUnavailable`, reason `protocol-violation`
 *
 * @example
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
export const make = <ProviderOptions>(
  profile: AgentProfile<ProviderOptions>,
  options: Options<ProviderOptions> = {},
): Effect.Effect<McpClientAdapter, never, Scope.Scope> => over(TransportFactory.make(profile, options), options)

/**
 * The same adapter over a factory: each `openSession` is one `create`.
 *
 * @param factory what `TransportFactory.make` returns
 */
export const over = Effect.fnUntraced(function* (
  factory: Effect.Effect<TransportFactory.TransportFactory, never, Scope.Scope>,
  { approvals, maxTotalEventBytes }: SessionOptions = {},
): Effect.fn.Return<McpClientAdapter, never, Scope.Scope> {
  const { create, ...agent } = yield* factory
  return yield* McpSessionRuntime.make({
    ...agent,
    approvals,
    maxTotalEventBytes,
    connect: (config, _, trace) => Effect.map(create(config, trace), TransportFactory.connectionOf),
  })
})
