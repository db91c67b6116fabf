/**
 * Codex as an `McpClient`.
 *
 * @see seed, `CodexMcpClientAdapter`; requirements 2.1 to 2.4, 4.1 and 5.2
 */
import * as McpClientAdapter from "@zain/core/McpClientAdapter"
import * as SdkMcpClient from "@zain/sdk-client/SdkMcpClient"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as CodexTransportFactory from "./CodexTransportFactory.ts"

/** Options of an adapter: its profile, what every connection starts with, and the policy for approvals. */
export type Options = CodexTransportFactory.CreateOptions & SdkMcpClient.SessionOptions

/**
 * Makes an adapter for Codex. Its sessions close with the Scope.
 *
 * @param options the profile (`"agent-server"` by default), Codex's options for every session, how to open a
 *   connection, the approval policy, and how many bytes of unread events the sessions may buffer together; all are
 *   optional
 *
 * @example
 * ```ts
 * import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const codex = yield* CodexMcpClientAdapter.make()
 *   const session = yield* codex.openSession(CodexTransportFactory.local())
 *   return yield* codex.execute(session, { content: "What does this repository do?" })
 * })
 *
 * Effect.runPromise(Effect.scoped(program)).then(({ content }) => console.log(content))
 * ```
 */
export const make = (options: Options = {}) => SdkMcpClient.over(CodexTransportFactory.make(options), options)

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
 * import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const agent = yield* CodexMcpClientAdapter.Codex
 *   const session = yield* agent.openSession(CodexTransportFactory.local())
 *   return yield* agent.execute(session, { content: "What does this repository do?" })
 * })
 *
 * Effect.runPromise(Effect.provide(program, CodexMcpClientAdapter.Codex.layer()))
 * ```
 */
export class Codex extends Context.Service<Codex, McpClientAdapter.McpClientAdapter>()("@zain/codex-client/Codex") {
  /**
   * Layer of `make` as this service. It reads `McpApproval` when it is built, as `layer` does.
   *
   * @param options as for `make`
   */
  static readonly layer = (options?: Options) => Layer.effect(Codex, make(options))
}
