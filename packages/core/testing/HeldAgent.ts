/** An agent whose turns the test controls, behind the session runtime. */
import type { AgentConnection, Turn } from "@zain/core/AgentConnection"
import type { McpApprovalPolicy } from "@zain/core/McpApproval"
import type { McpSupports } from "@zain/core/McpClientAdapter"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { McpError } from "@zain/core/McpError"
import type { McpEvent } from "@zain/core/McpEvents"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as McpSessionRuntime from "@zain/core/McpSessionRuntime"
import { Deferred, Effect, Exit, Fiber, Queue, type Scope, Stream } from "effect"

/** A turn that the agent has started, with functions to end it. */
export interface HeldTurn {
  readonly content: string
  readonly turn: Turn
  readonly end: (outcome: Exit.Exit<string, McpError>) => void
  readonly answer: (text: string) => void
}

/** Replacements of the agent's behaviour. */
export interface Options {
  readonly connect?: (log: Array<string>) => Effect.Effect<unknown, McpError, Scope.Scope>
  readonly execute?: AgentConnection["execute"]
  readonly abort?: AgentConnection["abort"]
  readonly approvals?: McpApprovalPolicy
  /** Further fields of the connection. */
  readonly about?: Pick<AgentConnection, "model" | "redact"> | undefined
}

export const config: McpConnectionConfig = { serverUrl: "stdio:held", transport: "stdio" }

/** An agent that keeps its conversation. */
export const supports: McpSupports = {
  streaming: true,
  approvals: false,
  cancelKeepsConversation: true,
  failureKeepsConversation: true,
  background: false,
}

/**
 * - `log`: what happened to connections and turns, in order
 * - `next`: waits for the next turn that the agent starts
 */
export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const log: Array<string> = []
  const turns = yield* Queue.unbounded<HeldTurn>()
  const adapter = yield* McpSessionRuntime.make({
    provider: "held",
    approvals: options.approvals,
    supports,
    connect: Effect.fnUntraced(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => log.push("connected")),
        () => Effect.sync(() => log.push("released")),
      )
      yield* options.connect?.(log) ?? Effect.void
      let held = Deferred.makeUnsafe<string, McpError>()
      const connection: AgentConnection = {
        ...options.about,
        abort:
          options.abort ??
          ((error) => {
            log.push(`aborted ${error.reason}`)
            Deferred.doneUnsafe(held, Exit.fail(error))
          }),
        execute:
          options.execute ??
          (({ content }, turn) =>
            Effect.suspend(() => {
              const mine = Deferred.makeUnsafe<string, McpError>()
              held = mine
              const end = (outcome: Exit.Exit<string, McpError>) => void Deferred.doneUnsafe(mine, outcome)
              Queue.offerUnsafe(turns, { content, turn, end, answer: (text) => end(Exit.succeed(text)) })
              return Effect.map(Deferred.await(mine), (text) => ({ content: text, isError: false }))
            }).pipe(Effect.onInterrupt(() => Effect.sync(() => log.push(`interrupted ${content}`))))),
      }
      return connection
    }),
  })
  return { adapter, log, next: Queue.take(turns), begun: () => Queue.sizeUnsafe(turns) }
})

/** The adapter of a held agent. */
export const adapter = (options: Options) => Effect.map(make(options), ({ adapter }) => adapter)

/** A held agent with one open session. */
export const session = Effect.fnUntraced(function* (options?: Options, limits: Partial<McpConnectionConfig> = {}) {
  const agent = yield* make(options)
  const id = yield* agent.adapter.openSession({ ...config, ...limits })
  const ask = (content: string, deadline?: string) => agent.adapter.execute(id, request(content, deadline))
  /** Executes, and waits until the agent has started the turn. */
  const begin = Effect.fnUntraced(function* (content: string, deadline?: string) {
    const fiber = yield* start(ask(content, deadline))
    return { ...(yield* agent.next), fiber }
  })
  /** Reads the events from now to the end of the session. */
  const read = start(Stream.runCollect(agent.adapter.events(id)))
  return { ...agent, id, ask, begin, read, close: agent.adapter.closeSession(id) }
})

const request = (content: string, deadline: string | undefined) =>
  ({ content, ...(deadline === undefined ? {} : { deadline }) }) as { readonly content: string }

/** Forks an effect, and runs it until it first waits. */
export const start = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** The failure of a fiber, as one line. */
export const failure = <A>(fiber: Fiber.Fiber<A, McpError>) => Effect.map(Effect.flip(Fiber.join(fiber)), inWords)

/** An error as one line: tag, reason and delivery. */
export const inWords = ({ _tag, delivery, reason }: McpError) => `${_tag} ${reason} ${delivery}`

export const tagsOf = (events: ReadonlyArray<McpEvent>) => events.map(({ _tag }) => _tag)

/** An id of no session. */
export const unknownId = "00000000-0000-4000-8000-000000000000" as McpSessionId
