/**
 * The port beside the port that speaks into a running turn.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { McpError } from "./McpError.ts"
import type { McpSessionId } from "./McpSessionId.ts"

/**
 * What became of a text.
 *
 * - `applied`: the agent has it in the turn under way, whose answer takes it into account
 * - `queued`: the turn ended before the agent took it, so it precedes the prompt of the session's next `execute`
 */
export type McpSteered = "applied" | "queued"

/** Speaks into the turn under way, for adapters whose `supports.steer` is true. */
export interface McpSteer {
  /**
   * Sends a text to the agent while it works, and succeeds when it is known what became of the text. Codex takes it at once;
   * Claude Code takes it with the result of its running tool, or after the text that it writes: the running `execute`
   * covers that too. Each text reaches the agent once at most.
   *
   * A `queued` text that no `execute` follows is reported by the event `SteersUnused` when the session closes. Interrupting
   * withdraws a text that the agent has not taken.
   *
   * Fails with `InvalidRequest` (`no-turn`: no turn is under way, delivery `not-sent`; `empty-content`; `not-supported`),
   * `SessionNotFound` (`unknown-session`), `SessionClosed` (`closed`) and `ConnectionUnavailable` (such as `server-exited`;
   * `rate-limited`: `maxWaiting` texts wait already).
   *
   * @param sessionId an id that `openSession` of this client returned
   * @param content the text, of at least one character
   *
   * @example
   * ```ts
   * import { McpClient, type McpSessionId, McpSteer } from "@zain/core"
   * import * as Effect from "effect/Effect"
   * import * as Fiber from "effect/Fiber"
   *
   * const program = Effect.fn(function* (session: McpSessionId) {
   *   const client = yield* McpClient
   *   const steering = yield* McpSteer
   *   const turn = yield* Effect.forkChild(client.execute(session, { content: "Port the tests to vitest." }))
   *   yield* Effect.sleep("1 minute")
   *   yield* steering.steer(session, "Leave the snapshots alone.") // "applied"
   *   return yield* Fiber.join(turn)
   * })
   * ```
   *
   * @see docs/guides/steer.md
   */
  readonly steer: (sessionId: McpSessionId, content: string) => Effect.Effect<McpSteered, McpError>
}

/** The service of Effect for steering: `yield* McpSteer`. `McpClientAdapter.layer` provides it. */
export const McpSteer = Context.Service<McpSteer>("@zain/core/McpSteer")
