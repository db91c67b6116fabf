/**
 * Codex behind the port.
 *
 * @see seed, `CodexMcpClientAdapter`; requirements 2.1 to 2.4, 4.1 and 5.2
 */
import * as McpClientAdapter from "@zain/core/McpClientAdapter"
import * as SdkMcpClient from "@zain/sdk-client/SdkMcpClient"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as CodexTransportFactory from "./CodexTransportFactory.ts"

/** `profile`: see `CodexTransportFactory.CreateOptions`. The rest: see `SdkMcpClient.Options`. */
export type Options = CodexTransportFactory.CreateOptions & SdkMcpClient.SessionOptions

/**
 * An adapter for Codex. Its sessions end with the Scope.
 *
 * @param options what every session starts with
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
 * `make` as both services, `McpClient` and `McpEvents`. `McpApproval` is read where the layer is built: provide the policy
 * to the layer, or give `approvals`.
 */
export const layer = (options?: Options) => McpClientAdapter.layer(make(options))

/**
 * This adapter under a tag of its own, so that agents of several providers live in one program: `McpClient` is whichever.
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
  /** `make` as this service. `McpApproval` is read where the layer is built, as for `layer`. */
  static readonly layer = (options?: Options) => Layer.effect(Codex, make(options))
}
