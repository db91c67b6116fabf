/**
 * What every implementation of the port provides.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { McpClient } from "./McpClient.ts"
import { McpEvents } from "./McpEvents.ts"
import type { McpProvider } from "./McpProvider.ts"
import { McpSteer } from "./McpSteer.ts"
import { McpThreads } from "./McpThreads.ts"

/** What an agent can do beyond answering a prompt. The contract suite runs the cases that apply. */
export interface McpSupports {
  /**
   * Whether the events of a turn have `TextDelta` while the agent writes; otherwise its text arrives in whole messages.
   */
  readonly streaming: boolean
  /** Whether the agent's requests reach the policy of `McpApproval`; otherwise every request is declined. */
  readonly approvals: boolean
  /**
   * Whether the questions of the agent's model, and of the MCP servers that it uses, reach the policy of `McpApproval`;
   * otherwise they are dismissed. If omitted, `false`.
   */
  readonly questions?: boolean
  /**
   * Whether the conversation continues after a cancelled turn; otherwise the next `execute` fails with `SessionClosed`,
   * `conversation-lost`.
   */
  readonly cancelKeepsConversation: boolean
  /**
   * Whether a conversation that has begun continues after a turn that failed; otherwise the next `execute` fails with
   * `SessionClosed`, `conversation-lost`.
   */
  readonly failureKeepsConversation: boolean
  /**
   * Whether a turn ends with its work: `execute` returns when the sub-agents and background commands of its turn have
   * ended, or lists those that the session's options let go on. With `false` the client cannot observe such work.
   */
  readonly background: boolean
  /**
   * Whether the agent receives `output` of a request by means of its own; otherwise the schema follows the prompt. The answer
   * is checked either way. If omitted, `false`.
   */
  readonly structured?: boolean
  /**
   * Whether the agent takes images; otherwise a request with one fails with `InvalidRequest`, `not-supported`. If omitted,
   * `false`.
   */
  readonly images?: boolean
  /**
   * Whether the agent takes `providerOptions` of a request; otherwise a request with them fails with `InvalidRequest`,
   * `not-supported`. If omitted, `false`.
   */
  readonly turnOptions?: boolean
  /**
   * Whether `steer` reaches the turn under way; otherwise it fails with `InvalidRequest`, `not-supported`. If omitted,
   * `false`.
   */
  readonly steer?: boolean
  /**
   * Whether the agent's model can call `tools` of the session's configuration; otherwise `openSession` with them fails with
   * `InvalidRequest`, `not-supported`. If omitted, `false`.
   */
  readonly tools?: boolean
  /**
   * Whether `threads` lists and changes the agent's stored conversations; otherwise its operations fail with
   * `InvalidRequest`, `not-supported`. If omitted, `false`.
   */
  readonly threads?: boolean
  /** Whether responses have `context`: how full the model's context is. If omitted, `false`. */
  readonly context?: boolean
  /** Whether responses have `cost`: what the turn cost. If omitted, `false`. */
  readonly cost?: boolean
  /** Whether responses have `stopReason`: why the turn ended. If omitted, `false`. */
  readonly stopReason?: boolean
  /**
   * Whether a turn that a limit of the account has ended has the cause `RateLimited` with the agent's own data. If omitted,
   * `false`: a text of the agent may still be read as that cause.
   */
  readonly rateLimits?: boolean
}

/** An implementation of `McpClient`, `McpEvents`, `McpSteer` and `McpThreads` for one provider: what an adapter's `make` returns. */
export interface McpClientAdapter extends McpClient, McpEvents, McpSteer {
  /** The name of the agent that the adapter drives, such as `"codex"`; every response holds it too. */
  readonly provider: McpProvider
  /** What the agent can do beyond answering a prompt, such as streaming or asking for approvals. */
  readonly supports: McpSupports
  /** The conversations that the agent has stored. */
  readonly threads: McpThreads
}

/**
 * A Layer that provides one adapter as the services `McpClient`, `McpEvents`, `McpSteer` and `McpThreads`. Its sessions
 * close with the Layer.
 *
 * @param make the Effect that an adapter's `make` returns, such as `CodexMcpClientAdapter.make()`
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
): Layer.Layer<McpClient | McpEvents | McpSteer | McpThreads, E, Exclude<R, Scope.Scope>> =>
  Layer.effectContext(
    Effect.map(make, (adapter) =>
      Context.make(McpClient, adapter).pipe(
        Context.add(McpEvents, adapter),
        Context.add(McpSteer, adapter),
        Context.add(McpThreads, adapter.threads),
      ),
    ),
  )
