/**
 * Claude Code as an `McpClient`.
 *
 * @see seed, `ClaudeCodeMcpClientAdapter`; requirements 3.1 to 3.4, 4.2 and 5.3
 */
import * as McpClientAdapter from "@zain/core/McpClientAdapter"
import * as SdkMcpClient from "@zain/sdk-client/SdkMcpClient"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as ClaudeCodeTransportFactory from "./ClaudeCodeTransportFactory.ts"

/** Options of an adapter: its profile, what every connection starts with, and the policy for approvals. */
export type Options = ClaudeCodeTransportFactory.CreateOptions & SdkMcpClient.SessionOptions

/**
 * Makes an adapter for Claude Code. Its sessions close with the Scope.
 *
 * @param options the profile (`"agent-server"` by default), Claude Code's options for every session, how to open a
 *   connection, the approval policy, and how many bytes of unread events the sessions may buffer together; all are
 *   optional
 *
 * @example
 * ```ts
 * import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const claude = yield* ClaudeCodeMcpClientAdapter.make()
 *   const session = yield* claude.openSession(ClaudeCodeTransportFactory.local())
 *   return yield* claude.execute(session, { content: "What does this repository do?" })
 * })
 *
 * Effect.runPromise(Effect.scoped(program)).then(({ content }) => console.log(content))
 * ```
 */
export const make = (options: Options = {}) => SdkMcpClient.over(ClaudeCodeTransportFactory.make(options), options)

/**
 * Layer of `make` as both services, `McpClient` and `McpEvents`. It reads `McpApproval` when it is built: provide the policy to
 * the layer, or set `approvals`.
 *
 * @param options as for `make`
 */
export const layer = (options?: Options) => McpClientAdapter.layer(make(options))

/**
 * The service of Effect for a client of this agent alone, for programs that use several agents at once. `McpClient` is
 * the service for programs that use one agent, of any provider.
 *
 * @example
 * ```ts
 * import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const agent = yield* ClaudeCodeMcpClientAdapter.ClaudeCode
 *   const session = yield* agent.openSession(ClaudeCodeTransportFactory.local())
 *   return yield* agent.execute(session, { content: "What does this repository do?" })
 * })
 *
 * Effect.runPromise(Effect.provide(program, ClaudeCodeMcpClientAdapter.ClaudeCode.layer()))
 * ```
 */
export class ClaudeCode extends Context.Service<ClaudeCode, McpClientAdapter.McpClientAdapter>()(
  "@zain/claude-code-client/ClaudeCode",
) {
  /**
   * Layer of `make` as this service. It reads `McpApproval` when it is built, as `layer` does.
   *
   * @param options as for `make`
   */
  static readonly layer = (options?: Options) => Layer.effect(ClaudeCode, make(options))
}
