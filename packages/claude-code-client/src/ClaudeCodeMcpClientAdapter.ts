/**
 * Claude Code behind the port.
 *
 * @see seed, `ClaudeCodeMcpClientAdapter`; requirements 3.1 to 3.4, 4.2 and 5.3
 */
import * as McpClientAdapter from "@zain/core/McpClientAdapter"
import * as SdkMcpClient from "@zain/sdk-client/SdkMcpClient"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as ClaudeCodeTransportFactory from "./ClaudeCodeTransportFactory.ts"

/** `profile`: see `ClaudeCodeTransportFactory.CreateOptions`. The rest: see `SdkMcpClient.Options`. */
export type Options = ClaudeCodeTransportFactory.CreateOptions & SdkMcpClient.SessionOptions

/**
 * An adapter for Claude Code. Its sessions end with the Scope.
 *
 * @param options what every session starts with
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
 * `make` as both services, `McpClient` and `McpEvents`. `McpApproval` is read where the layer is built: provide the policy
 * to the layer, or give `approvals`.
 */
export const layer = (options?: Options) => McpClientAdapter.layer(make(options))

/**
 * This adapter under a tag of its own, so that agents of several providers live in one program: `McpClient` is whichever.
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
  /** `make` as this service. `McpApproval` is read where the layer is built, as for `layer`. */
  static readonly layer = (options?: Options) => Layer.effect(ClaudeCode, make(options))
}
