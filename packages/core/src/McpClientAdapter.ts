/**
 * What every implementation of the port hands out.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { McpClient } from "./McpClient.ts"
import { McpEvents } from "./McpEvents.ts"
import type { McpProvider } from "./McpProvider.ts"

/**
 * What an agent can do beyond question and answer. The contract suite reads it.
 *
 * - `streaming`: text arrives while the agent writes
 * - `approvals`: the agent asks before it acts, and its client can be told what to answer. Without it, what an agent
 *   asks for is declined
 * - `cancelKeepsConversation`: after a cancelled turn the conversation goes on; otherwise it is `conversation-lost`
 * - `failureKeepsConversation`: the same after a turn that failed, once there is a conversation
 */
export interface McpSupports {
  readonly streaming: boolean
  readonly approvals: boolean
  readonly cancelKeepsConversation: boolean
  readonly failureKeepsConversation: boolean
}

/** An implementation of `McpClient` and `McpEvents` for one provider. */
export interface McpClientAdapter extends McpClient, McpEvents {
  readonly provider: McpProvider
  readonly supports: McpSupports
}

/**
 * One adapter as both services.
 *
 * @param make what an adapter's `make` returns; its sessions end with the layer
 *
 * @example
 * ```ts
 * import { InMemoryMcpClient, McpClient, McpClientAdapter } from "@zain/core"
 * import * as Effect from "effect/Effect"
 *
 * const program = McpClient.use((client) => client.openSession(InMemoryMcpClient.config))
 * Effect.runPromise(Effect.provide(program, McpClientAdapter.layer(InMemoryMcpClient.make())))
 * ```
 */
export const layer = <E, R>(
  make: Effect.Effect<McpClientAdapter, E, R>,
): Layer.Layer<McpClient | McpEvents, E, Exclude<R, Scope.Scope>> =>
  Layer.effectContext(
    Effect.map(make, (adapter) => Context.make(McpClient, adapter).pipe(Context.add(McpEvents, adapter))),
  )
