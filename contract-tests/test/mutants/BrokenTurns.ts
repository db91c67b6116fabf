/** Clients with broken turns: order, number, memory, limits and events. */
import { McpApproval, McpError, McpSessionRuntime } from "@zain/core"
import type { AgentConnection, Driver, Turn } from "@zain/core/AgentConnection"
import type { McpEventContent } from "@zain/core/McpEvents"
import { Cause, Deferred, Effect, Fiber, Scope } from "effect"
import { executing, opening } from "../../testing/mutants/Override.ts"
import { connecting, type Mutant, mutant, taking } from "./Mutant.ts"

const noTurn: Turn = {
  beat: () => {},
  emit: () => {},
  observed: () => false,
  approve: () => Effect.succeed(McpApproval.decline()),
  callTool: () => Effect.succeed({ text: "", isError: true }),
  keep: () => {},
  over: () => {},
}

/** Reconnects to a parrot without memory, on demand. */
const reconnecting = (
  when: (connect: Effect.Effect<AgentConnection, McpError>, first: AgentConnection) => AgentConnection,
) =>
  connecting((connect, config, id) =>
    Effect.gen(function* () {
      const again = Effect.provideService(connect(config, id), Scope.Scope, yield* Effect.scope)
      return when(again, yield* again)
    }),
  )

export const brokenTurns: ReadonlyArray<Mutant> = [
  mutant("forgets the conversation", "execute.continues", {
    driver: reconnecting((connect, first) => ({
      ...first,
      execute: (request, turn) => Effect.flatMap(connect, ({ execute }) => execute(request, turn)),
    })),
  }),
  mutant("starts a new conversation after a cancel without `conversation-lost`", "cancel.conversation", {
    driver: reconnecting((connect, first) => {
      let current = first
      const renew = Effect.map(Effect.orDie(connect), (connection) => {
        current = connection
      })
      return {
        execute: (request, turn) =>
          Effect.suspend(() => Effect.onInterrupt(current.execute(request, turn), () => renew)),
        abort: (error) => current.abort(error),
      }
    }),
  }),
  mutant("reports that a cancel loses the conversation, but answers from a new one", "cancel.conversation", {
    driver: (driver) => ({ ...driver, supports: { ...driver.supports, cancelKeepsConversation: false } }),
  }),
  mutant("reports that a failed turn loses the conversation, but continues it", "failure.is-error", {
    driver: (driver) => ({ ...driver, supports: { ...driver.supports, failureKeepsConversation: false } }),
  }),
  mutant("sends a prompt again after its server died", "death.once", {
    driver: reconnecting((connect, first) => ({
      ...first,
      execute: (request, turn) =>
        Effect.catchTag(first.execute(request, turn), "ConnectionUnavailable", () =>
          Effect.flatMap(connect, ({ execute }) => execute(request, turn)),
        ),
    })),
  }),
  mutant("sends `?` for half a surrogate pair", "execute.well-formed", {
    driver: taking((execute, { content, ...request }, turn) =>
      execute({ ...request, content: content.replaceAll("\uD83D", "?") }, turn),
    ),
  }),
  mutant("returns half a surrogate pair", "execute.well-formed", {
    driver: taking((execute, request, turn) =>
      Effect.map(execute(request, turn), (answer) => ({
        ...answer,
        content: answer.content.replaceAll("\uFFFD", "\uD83D"),
      })),
    ),
  }),
  mutant("sends every prompt twice", "execute.once", {
    driver: taking((execute, request, turn) => Effect.andThen(execute(request, turn), execute(request, turn))),
  }),
  mutant("shares one memory between sessions", "order.memory-apart", {
    driver: (driver) => {
      let shared: AgentConnection | undefined
      return {
        ...driver,
        connect: (config, id) =>
          Effect.map(driver.connect(config, id), (connection) => {
            shared ??= connection
            return shared
          }),
      }
    },
  }),
  mutant("runs the executes of a session concurrently", "order.one-at-a-time", {
    make: (_, driver) => {
      const open = new Map<string, AgentConnection>()
      const spying: Driver = {
        ...driver,
        connect: (config, id) =>
          Effect.tap(driver.connect(config, id), (made) => Effect.sync(() => open.set(id, made))),
      }
      return Effect.map(McpSessionRuntime.make(spying), (adapter) => ({
        ...adapter,
        execute: (sessionId, request) => {
          const connection = request.content === "" ? undefined : open.get(sessionId)
          if (connection === undefined) return adapter.execute(sessionId, request)
          return Effect.map(connection.execute({ content: request.content }, noTurn), (answer) => ({
            provider: driver.provider,
            sessionId,
            ...(answer as object as { readonly content: string; readonly isError: boolean }),
          }))
        },
      }))
    },
  }),
  mutant("runs the last waiting execute first", "order.queue", {
    adapter: (adapter) => {
      const queues = new Map<string, Array<Deferred.Deferred<void>>>()
      const enter = (id: string) =>
        Effect.suspend(() => {
          const queue = queues.get(id)
          if (queue === undefined) {
            queues.set(id, [])
            return Effect.void
          }
          const turn = Deferred.makeUnsafe<void>()
          queue.push(turn)
          return Deferred.await(turn)
        })
      const leave = (id: string) =>
        Effect.sync(() => {
          const next = queues.get(id)?.pop()
          if (next === undefined) queues.delete(id)
          else Deferred.doneUnsafe(next, Effect.void)
        })
      return {
        ...adapter,
        execute: (id, request) => Effect.andThen(enter(id), Effect.ensuring(adapter.execute(id, request), leave(id))),
      }
    },
  }),
  mutant("sends a prompt that was cancelled while it waited", "cancel.waiting", {
    adapter: executing((execute, id, request) => Effect.flatMap(Effect.forkDetach(execute(id, request)), Fiber.join)),
  }),
  mutant("reports a cancel as stalled", "cancel.in-flight", {
    adapter: executing((execute, id, request) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.catchCause(restore(execute(id, request)), (cause) =>
          Cause.hasInterruptsOnly(cause) ? Effect.fail(stalled) : Effect.failCause(cause),
        ),
      ),
    ),
  }),
  mutant("does not send a cancel to the server", "cancel.server-notified", {
    driver: taking((execute, request, turn) => Effect.flatMap(Effect.forkDetach(execute(request, turn)), Fiber.join)),
  }),
  mutant("ignores the deadline", "limit.deadline", {
    adapter: executing((execute, id, { content }) => execute(id, { content })),
  }),
  mutant("lets any number of executes wait", "limit.waiting", {
    adapter: opening((openSession, config) =>
      openSession("maxWaiting" in config ? { ...config, maxWaiting: 1_000 } : config),
    ),
  }),
  mutant("ignores `idleTimeout`", "limit.idle", {
    adapter: opening((openSession, config) =>
      openSession("idleTimeout" in config ? { ...config, idleTimeout: "1 hour" } : config),
    ),
  }),
  mutant("drops the last event of a turn", "events.all", {
    driver: taking((execute, request, turn) => {
      let kept: McpEventContent | undefined
      const emit = (event: McpEventContent) => {
        if (kept !== undefined) turn.emit(kept)
        kept = event
      }
      return execute(request, { ...turn, emit })
    }),
  }),
  mutant("emits the events of a turn after its result", "events.all", {
    driver: taking((execute, request, turn) => {
      const late: Array<McpEventContent> = []
      const tell = Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => late.forEach(turn.emit)),
      )
      return Effect.tap(execute(request, { ...turn, emit: (event) => late.push(event) }), () => Effect.forkDetach(tell))
    }),
  }),
  mutant("emits events in the wrong order", "events.all", {
    driver: taking((execute, request, turn) => {
      const held: Array<McpEventContent> = []
      return Effect.tap(execute(request, { ...turn, emit: (event) => held.unshift(event) }), () =>
        Effect.sync(() => held.forEach(turn.emit)),
      )
    }),
  }),
]

const stalled = new McpError.ConnectionUnavailable({
  reason: "stalled",
  message: "The parrot has said nothing for a while.",
  delivery: "unknown",
})
