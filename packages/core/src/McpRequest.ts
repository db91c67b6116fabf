/**
 * The request of one turn.
 */
import type * as Duration from "effect/Duration"
import type { McpAttachment } from "./McpAttachment.ts"
import type { McpOutput } from "./McpOutput.ts"

/**
 * The argument of `execute`: one prompt and, optionally, how long the whole call may take, the wait for its turn
 * included, what the answer must be, and what is attached.
 *
 * @see seed, requirements 5.1 to 5.3
 */
export interface McpRequest<A = unknown> {
  /** The prompt: at least one character, which may be a space. The agent receives it unchanged. */
  readonly content: string
  /**
   * How long the whole `execute` may take, the wait for its turn included: text such as `"5 minutes"`, or a number of
   * milliseconds. Then it fails with `ConnectionUnavailable`, `deadline-exceeded`, and the agent's turn is cancelled.
   * The conversation continues with the next `execute` if `supports.cancelKeepsConversation` of the client is true.
   * None by default: agents may work for hours, and `idleTimeout` of the connection ends silent turns.
   */
  readonly deadline?: Duration.Input | string
  /**
   * The schema of the answer: a JSON Schema, or a schema of Effect or of a library that implements Standard Schema. The
   * agent receives it as JSON Schema, by its own means where `supports.structured` of the client is true, and otherwise
   * after the prompt. The answer is checked; one that does not fit is asked for once more, in the same turn. The response
   * then has `structured`, or `isError` and the cause `Unstructured`.
   *
   * A schema that is none is `InvalidRequest`, `invalid-config`; one that the agent's means cannot express is
   * `not-supported`. Both fail before anything is sent.
   *
   * @example
   * ```ts
   * import { InMemoryMcpClient } from "@zain/core"
   * import * as Effect from "effect/Effect"
   * import * as Schema from "effect/Schema"
   *
   * const Verdict = Schema.Struct({ passes: Schema.Boolean, why: Schema.String })
   *
   * const program = Effect.gen(function* () {
   *   const client = yield* InMemoryMcpClient.make({ reply: () => Effect.succeed('{ "passes": true, "why": "It runs." }') })
   *   const session = yield* client.openSession(InMemoryMcpClient.config)
   *   const { structured } = yield* client.execute(session, { content: "Does it run?", output: Verdict })
   *   return structured?.passes // true
   * })
   * ```
   *
   * @see docs/guides/structured-answers.md
   */
  readonly output?: McpOutput<A>
  /**
   * Images and text files for this turn, none by default. The agent receives the images first, then the text files and the
   * prompt, each in their order. They are checked before anything is sent: a file that cannot be read, is no text or no
   * image, or exceeds `maxAttachmentBytes` of the connection is `InvalidRequest`, `invalid-config`; an image for an agent
   * whose `supports.images` is false is `not-supported`.
   *
   * @example
   * ```ts
   * import type { McpPromiseClient, McpSessionId } from "@zain/core"
   *
   * const compare = (client: McpPromiseClient, session: McpSessionId) =>
   *   client.execute(session, {
   *     content: "Does the page look as the notes say?",
   *     attachments: [
   *       { _tag: "Image", path: "page.png" },
   *       { _tag: "TextFile", path: "notes.md" },
   *     ],
   *   })
   * ```
   *
   * @see docs/guides/images-and-files.md
   */
  readonly attachments?: ReadonlyArray<McpAttachment>
  /**
   * Options of the agent for this turn alone, such as another model: the adapter's package names their type, such as
   * `CodexTurnOptions` of `@zain/codex-client`. The next turn has the session's own again, whatever the end of this one.
   *
   * An option that the agent does not have, and any option where `supports.turnOptions` of the client is false, is
   * `InvalidRequest`, `not-supported`; a wrong value, and one that permits more than the session does, is
   * `invalid-config`. Both fail before the prompt is sent.
   *
   * @example
   * ```ts
   * import type { McpPromiseClient, McpSessionId } from "@zain/core"
   *
   * const summarize = (client: McpPromiseClient, session: McpSessionId) =>
   *   client.execute(session, { content: "Summarize the changes.", providerOptions: { model: "gpt-6-luna" } })
   * ```
   *
   * @see docs/guides/options-of-one-turn.md
   */
  readonly providerOptions?: object
}

/** A prompt that `McpRequestParser.parse` has read: never empty, its deadline a `Duration`. */
export interface Parsed extends McpRequest {
  /** How long the whole `execute` may take, above zero; absent if the request has no deadline. */
  readonly deadline?: Duration.Duration
}
