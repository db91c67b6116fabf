/** Clients that are wrong about turns: their order, their number, their memory, their limits and their events. */
import { McpApproval, McpError, McpSessionRuntime } from "@zain/core"
import type { AgentConnection, Driver, Turn } from "@zain/core/AgentConnection"
import type { McpEventContent } from "@zain/core/McpEvents"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { connections, type Mutant } from "./Mutant.ts"

const noTurn: Turn = {
  beat: () => {},
  emit: () => {},
  observed: () => false,
  approve: () => Effect.succeed(McpApproval.decline()),
}

/** Connects anew, to a parrot that has heard nothing, whenever it is asked to. */
const reconnecting =
  (when: (connect: Effect.Effect<AgentConnection, McpError>, first: AgentConnection) => AgentConnection) =>
  (driver: Driver): Driver => ({
    ...driver,
    connect: (config, id) =>
      Effect.gen(function* () {
        const context = yield* Effect.context<never>()
        const scope = yield* Effect.scope
        const connect = Effect.provideContext(
          Effect.provideService(driver.connect(config, id), Scope.Scope, scope),
          context,
        )
        return when(connect, yield* connect)
      }),
  })

export const brokenTurns: ReadonlyArray<Mutant> = [
  {
    name: "forgets the conversation",
    caughtBy: "execute.continues",
    driver: reconnecting((connect, first) => ({
      ...first,
      execute: (request, turn) => Effect.flatMap(connect, ({ execute }) => execute(request, turn)),
    })),
  },
  {
    name: "starts afresh after a cancel, and does not say so",
    caughtBy: "cancel.conversation",
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
  },
  {
    name: "says that a cancel loses the conversation, and then answers from a fresh memory",
    caughtBy: "cancel.conversation",
    driver: (driver) => ({ ...driver, supports: { ...driver.supports, cancelKeepsConversation: false } }),
  },
  {
    name: "says that a failed turn loses the conversation, and then goes on with it",
    caughtBy: "failure.is-error",
    driver: (driver) => ({ ...driver, supports: { ...driver.supports, failureKeepsConversation: false } }),
  },
  {
    name: "sends a prompt again after its server died",
    caughtBy: "death.once",
    driver: reconnecting((connect, first) => ({
      ...first,
      execute: (request, turn) =>
        Effect.catchTag(first.execute(request, turn), "ConnectionUnavailable", () =>
          Effect.flatMap(connect, ({ execute }) => execute(request, turn)),
        ),
    })),
  },
  {
    name: "sends every prompt twice",
    caughtBy: "execute.once",
    driver: connections((connection) => ({
      ...connection,
      execute: (request, turn) => Effect.andThen(connection.execute(request, turn), connection.execute(request, turn)),
    })),
  },
  {
    name: "shares one memory between sessions",
    caughtBy: "order.memory-apart",
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
  },
  {
    name: "runs the executes of a session side by side",
    caughtBy: "order.one-at-a-time",
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
            ...answer,
          }))
        },
      }))
    },
  },
  {
    name: "takes the execute that came last first",
    caughtBy: "order.queue",
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
  },
  {
    name: "sends what was cancelled while it waited",
    caughtBy: "cancel.waiting",
    adapter: (adapter) => ({
      ...adapter,
      execute: (id, request) => Effect.flatMap(Effect.forkDetach(adapter.execute(id, request)), Fiber.join),
    }),
  },
  {
    name: "reports a cancel as stalled",
    caughtBy: "cancel.in-flight",
    adapter: (adapter) => ({
      ...adapter,
      execute: (id, request) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.catchCause(restore(adapter.execute(id, request)), (cause) =>
            Cause.hasInterruptsOnly(cause) ? Effect.fail(stalled) : Effect.failCause(cause),
          ),
        ),
    }),
  },
  {
    name: "does not tell the server of a cancel",
    caughtBy: "cancel.server-told",
    driver: connections((connection) => ({
      ...connection,
      execute: (request, turn) => Effect.flatMap(Effect.forkDetach(connection.execute(request, turn)), Fiber.join),
    })),
  },
  {
    name: "has no deadline",
    caughtBy: "limit.deadline",
    adapter: (adapter) => ({ ...adapter, execute: (id, { content }) => adapter.execute(id, { content }) }),
  },
  {
    name: "lets any number of executes wait",
    caughtBy: "limit.waiting",
    adapter: (adapter) => ({
      ...adapter,
      openSession: (config) => adapter.openSession("maxWaiting" in config ? { ...config, maxWaiting: 1_000 } : config),
    }),
  },
  {
    name: "waits for silence without end",
    caughtBy: "limit.idle",
    adapter: (adapter) => ({
      ...adapter,
      openSession: (config) =>
        adapter.openSession("idleTimeout" in config ? { ...config, idleTimeout: "1 hour" } : config),
    }),
  },
  {
    name: "drops the last event of a turn",
    caughtBy: "events.all",
    driver: connections((connection) => ({
      ...connection,
      execute: (request, turn) => {
        let kept: McpEventContent | undefined
        const emit = (event: McpEventContent) => {
          if (kept !== undefined) turn.emit(kept)
          kept = event
        }
        return connection.execute(request, { ...turn, emit })
      },
    })),
  },
  {
    name: "tells the events of a turn after its result",
    caughtBy: "events.all",
    driver: connections((connection) => ({
      ...connection,
      execute: (request, turn) => {
        const late: Array<McpEventContent> = []
        const tell = Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => late.forEach(turn.emit)),
        )
        return Effect.tap(connection.execute(request, { ...turn, emit: (event) => late.push(event) }), () =>
          Effect.forkDetach(tell),
        )
      },
    })),
  },
  {
    name: "tells events in the wrong order",
    caughtBy: "events.all",
    driver: connections((connection) => ({
      ...connection,
      execute: (request, turn) => {
        const held: Array<McpEventContent> = []
        return Effect.tap(connection.execute(request, { ...turn, emit: (event) => held.unshift(event) }), () =>
          Effect.sync(() => held.forEach(turn.emit)),
        )
      },
    })),
  },
]

const stalled = new McpError.ConnectionUnavailable({
  reason: "stalled",
  message: "The parrot has said nothing for a while.",
  delivery: "unknown",
})
