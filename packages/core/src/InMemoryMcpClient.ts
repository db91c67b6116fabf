/**
 * An agent that is a function: for tests of programs that drive agents. It fulfils the same contract as the real ones.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { AgentConnection, AgentThreads, Answer, Turn } from "./AgentConnection.ts"
import type { McpApprovalPolicy } from "./McpApproval.ts"
import * as McpClientAdapter from "./McpClientAdapter.ts"
import type * as McpConnectionConfig from "./McpConnectionConfig.ts"
import type { McpError } from "./McpError.ts"
import type { JsonSchema } from "./McpOutput.ts"
import type { McpProvider } from "./McpProvider.ts"
import * as McpSessionRuntime from "./McpSessionRuntime.ts"
import type { McpSteered } from "./McpSteer.ts"

/**
 * One prompt as `reply` receives it, with `emit` for events, `approve` to ask the policy before it acts, and `callTool` to call
 * the session's own `tools`.
 */
export interface Prompt extends Pick<Turn, "approve" | "callTool" | "emit"> {
  /**
   * Returns the texts of `steer` since it was called last, and the session's client receives `applied` for them. Those that
   * it never returns are `queued`.
   */
  readonly steers: () => ReadonlyArray<string>
  /** The text that was passed to `execute`, never empty. */
  readonly content: string
  /** The schema of the answer, if the request has one: return `structured`, or the value as JSON. */
  readonly output?: JsonSchema | undefined
  /** The images of the request, as data URLs. */
  readonly images?: ReadonlyArray<string> | undefined
  /** The `providerOptions` of the request, unchecked. */
  readonly providerOptions?: object | undefined
  /** The prompts of the earlier turns of the session, and the texts of `steer` in them, oldest first. */
  readonly earlier: ReadonlyArray<string>
}

/** The options of `InMemoryMcpClient.make`; all are optional, and the agent is an echo by default. */
export interface Options {
  /** The name in `provider` of responses; `"in-memory"` by default. */
  readonly provider?: McpProvider
  /**
   * Answers a prompt with a text, or with parts of a response such as `isError` and `usage`. By default it returns the
   * prompt. A failure is the failure of `execute`; a cancelled turn interrupts it.
   *
   * @param prompt the prompt in `content`, the prompts before it in `earlier`, and `emit`, `approve` and `callTool` of
   *   this turn
   *
   * @example
   * ```ts
   * import { InMemoryMcpClient } from "@zain/core"
   * import * as Effect from "effect/Effect"
   *
   * const agent = InMemoryMcpClient.make({
   *   reply: Effect.fn(function* ({ approve, emit }) {
   *     emit({ _tag: "TextDelta", text: "Deleting…" })
   *     const decision = yield* approve({ kind: "command", message: "Delete dist?", command: "rm -r dist", cwd: "/srv" })
   *     return decision._tag === "Decline" ? { content: decision.reason, isError: true } : "Deleted."
   *   }),
   * })
   * ```
   */
  readonly reply?: (prompt: Prompt) => Effect.Effect<string | Partial<Answer>, McpError>
  /**
   * The policy that decides what `approve` asks; by default that of the service `McpApproval`, which declines
   * everything where none is provided.
   */
  readonly approvals?: McpApprovalPolicy
  /**
   * Runs when a session opens; its failure is that of `openSession`: fail here to test a server that cannot be reached.
   * By default it succeeds.
   *
   * @param config the configuration of the session, its defaults filled in
   */
  readonly connect?: (config: McpConnectionConfig.Parsed) => Effect.Effect<void, McpError>
  /**
   * What `threads` of the client does, for tests of programs that list or fork conversations. If omitted, `supports.threads` is
   * false.
   */
  readonly threads?: AgentThreads
  /** How many bytes of events may wait for the readers of all sessions together; 128 MiB by default. */
  readonly maxTotalEventBytes?: number
}

/**
 * Makes an adapter whose agent is a function of this process: no process, no network, no tokens.
 *
 * @param options the function, and the name of its agent; an echo by default
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
    supports: {
      streaming: true,
      approvals: true,
      questions: true,
      cancelKeepsConversation: true,
      failureKeepsConversation: true,
      background: false,
      structured: true,
      images: true,
      turnOptions: true,
      steer: true,
      rateLimits: true,
      tools: true,
      threads: options.threads !== undefined,
    },
    approvals: options.approvals,
    maxTotalEventBytes: options.maxTotalEventBytes,
    connect: Effect.fnUntraced(function* (config) {
      yield* options.connect?.(config) ?? Effect.void
      const reply = options.reply ?? (({ content }) => Effect.succeed(content))
      const earlier: Array<string> = []
      let aborted = Deferred.makeUnsafe<never, McpError>()
      let waiting: ReadonlyArray<{ readonly content: string; readonly end: (how: McpSteered) => void }> = []
      const settle = (how: McpSteered) => {
        const settled = waiting
        waiting = []
        for (const { end } of settled) end(how)
        return settled.map(({ content }) => content)
      }
      const connection: AgentConnection = {
        threads: options.threads,
        steer: (content) =>
          Effect.callback((resume) => {
            const steer = { content, end: (how: McpSteered) => resume(Effect.succeed(how)) }
            waiting = [...waiting, steer]
            return Effect.sync(() => {
              waiting = waiting.filter((one) => one !== steer)
            })
          }),
        execute: ({ content, images, output, providerOptions }, { approve, callTool, emit }) => {
          const mine = Deferred.makeUnsafe<never, McpError>()
          aborted = mine
          return Effect.suspend(() => {
            const before = [...earlier]
            earlier.push(content)
            return Effect.raceFirst(
              reply({
                ...{ content, images, output, providerOptions, earlier: before, approve, callTool, emit },
                steers: () => {
                  const texts = settle("applied")
                  earlier.push(...texts)
                  return texts
                },
              }),
              Deferred.await(mine),
            )
          }).pipe(
            Effect.ensuring(Effect.sync(() => settle("queued"))),
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

/**
 * `make` as a Layer of `McpClient`, `McpEvents`, `McpSteer` and `McpThreads`. Its sessions close with the Layer.
 *
 * @param options as for `make`
 */
export const layer = (options?: Options) => McpClientAdapter.layer(make(options))

/** A valid configuration for `openSession` of this client, which connects to nothing. Spread it to set limits. */
export const config: McpConnectionConfig.McpConnectionConfig = { serverUrl: "stdio:in-memory", transport: "stdio" }
