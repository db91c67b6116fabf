/**
 * Tools of the caller's own: functions of this process that an agent's model can call.
 *
 * @see docs/guides/tools-of-your-own.md
 */
import type * as Duration from "effect/Duration"
import type { McpOutput } from "./McpOutput.ts"
import type { McpProvider } from "./McpProvider.ts"
import type { McpSessionId } from "./McpSessionId.ts"

/** The turn in which a tool is called, as `run` receives it. */
export interface McpToolContext {
  /**
   * Aborts when the result is not needed any more: when the turn is cancelled or ends, when the session closes, and at the
   * tool's `timeout`. An Effect that `run` returned is interrupted then.
   */
  readonly signal: AbortSignal
  /** The name of the agent, such as `"codex"`. */
  readonly provider: McpProvider
  /** The id of the session. */
  readonly sessionId: McpSessionId
  /** The turn; turns of a session count from 1. */
  readonly turn: number
}

/**
 * A tool of a session's own: a member of `tools` of a configuration. `make` makes one whose `run` has typed arguments.
 *
 * @see docs/guides/tools-of-your-own.md
 */
export interface McpTool {
  /** 1 to 64 letters, digits, `_` and `-`. It must not begin with `mcp__`, and no other tool of the session may have it. */
  readonly name: string
  /** What the tool does, and when to use it: the model decides by it. At most 4,096 characters. */
  readonly description: string
  /**
   * The schema of the arguments, which must be an object: a JSON Schema, or a schema of Effect or of a library that
   * implements Standard Schema and converts to JSON Schema. The model receives it, and arguments are checked by it before
   * `run`.
   */
  readonly input: McpOutput
  /**
   * Does what the tool is for, in this process. It returns a value, or a promise or an Effect of one. The model reads a string
   * as it is, nothing as an empty text, and any other value as JSON; at most 256 KiB. If it throws, fails, or returns more, the
   * model reads why as an error of the tool, and its turn goes on. Calls of one turn may run in parallel.
   *
   * @param args the arguments, as `input` has read them
   * @param context the turn, and a signal that aborts with it
   */
  readonly run: (args: never, context: McpToolContext) => unknown
  /**
   * How long `run` may take: text such as `"30 seconds"`, or milliseconds. 5 minutes by default. Then the model reads an error,
   * and the signal aborts. `idleTimeout` of the connection does not run meanwhile.
   */
  readonly timeout?: Duration.Input | string
}

/**
 * Makes a tool: `run` receives the type that `input` reads.
 *
 * @param tool the name, the description, the schema of the arguments, and the function
 *
 * @example
 * ```ts
 * import { InMemoryMcpClient, McpTool } from "@zain/core"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * const stock = McpTool.make({
 *   name: "stock",
 *   description: "How many pieces of an article are in stock.",
 *   input: Schema.Struct({ article: Schema.String }),
 *   run: ({ article }) => (article === "nut" ? 12 : 0),
 * })
 *
 * const program = Effect.gen(function* () {
 *   const client = yield* InMemoryMcpClient.make({
 *     reply: ({ callTool }) => Effect.map(callTool("stock", { article: "nut" }), ({ text }) => `${text} nuts`),
 *   })
 *   const session = yield* client.openSession({ ...InMemoryMcpClient.config, tools: [stock] })
 *   return (yield* client.execute(session, { content: "How many nuts?" })).content // "12 nuts"
 * })
 * ```
 */
export const make = <A = unknown>(
  tool: Omit<McpTool, "input" | "run"> & {
    /** The schema of the arguments. */
    readonly input: McpOutput<A>
    /** The function, which receives what `input` has read. */
    readonly run: (args: A, context: McpToolContext) => unknown
  },
): McpTool => tool
