/**
 * An agent that is a function: for tests of orchestration code, and the first implementation that the contract holds.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { AgentConnection, Answer, Turn } from "./AgentConnection.ts"
import type { McpApprovalPolicy } from "./McpApproval.ts"
import * as McpClientAdapter from "./McpClientAdapter.ts"
import type * as McpConnectionConfig from "./McpConnectionConfig.ts"
import type { McpError } from "./McpError.ts"
import type { McpProvider } from "./McpProvider.ts"
import * as McpSessionRuntime from "./McpSessionRuntime.ts"

/** What the function is given: the prompt, all prompts before it, a way to tell events, and one to ask before it acts. */
export interface Prompt extends Pick<Turn, "approve" | "emit"> {
  readonly content: string
  readonly earlier: ReadonlyArray<string>
}

/**
 * - `provider`: the name that responses carry; `"in-memory"` by default
 * - `reply`: answers a prompt, with a text or with more; an echo by default
 * - `approvals`: what decides when the function asks; by default what `McpApproval` says
 * - `connect`: runs when a session opens, in its Scope; fail here to rehearse a server that cannot be reached
 * - `maxTotalEventBytes`: how many bytes of events may wait for the readers of all sessions; 128 MiB by default
 */
export interface Options {
  readonly provider?: McpProvider
  readonly reply?: (prompt: Prompt) => Effect.Effect<string | Partial<Answer>, McpError>
  readonly approvals?: McpApprovalPolicy
  readonly connect?: (config: McpConnectionConfig.Parsed) => Effect.Effect<void, McpError>
  readonly maxTotalEventBytes?: number
}

/**
 * An adapter whose agent is a function of this process.
 *
 * @example
 * ```ts
 * import { InMemoryMcpClient, McpConnectionConfig } from "@zain/core"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const client = yield* InMemoryMcpClient.make({ reply: ({ content }) => Effect.succeed(content.toUpperCase()) })
 *   const session = yield* client.openSession(InMemoryMcpClient.config)
 *   return (yield* client.execute(session, { content: "hello" })).content // "HELLO"
 * })
 * ```
 */
export const make = (options: Options = {}) =>
  McpSessionRuntime.make({
    provider: options.provider ?? "in-memory",
    supports: { streaming: true, approvals: true, cancelKeepsConversation: true, failureKeepsConversation: true },
    approvals: options.approvals,
    maxTotalEventBytes: options.maxTotalEventBytes,
    connect: Effect.fnUntraced(function* (config) {
      yield* options.connect?.(config) ?? Effect.void
      const reply = options.reply ?? (({ content }) => Effect.succeed(content))
      const earlier: Array<string> = []
      let aborted = Deferred.makeUnsafe<never, McpError>()
      const connection: AgentConnection = {
        execute: ({ content }, { approve, emit }) => {
          const mine = Deferred.makeUnsafe<never, McpError>()
          aborted = mine
          return Effect.suspend(() => {
            const before = [...earlier]
            earlier.push(content)
            return Effect.raceFirst(reply({ content, earlier: before, approve, emit }), Deferred.await(mine))
          }).pipe(
            Effect.map((said) => ({
              content: "",
              isError: false,
              ...(typeof said === "string" ? { content: said } : said),
            })),
          )
        },
        abort: (error) => void Deferred.doneUnsafe(aborted, Effect.fail(error)),
      }
      return connection
    }),
  })

/** `make` as both services. */
export const layer = (options?: Options) => McpClientAdapter.layer(make(options))

/** A configuration that `parse` accepts, for a client that connects to nothing. */
export const config: McpConnectionConfig.McpConnectionConfig = { serverUrl: "stdio:in-memory", transport: "stdio" }
