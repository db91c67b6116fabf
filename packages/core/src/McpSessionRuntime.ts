/**
 * The life of sessions, the same for every adapter: state, release, and through `SessionTurns` order and limits. An
 * adapter says only how to connect and how to take one turn.
 *
 * @see design, §4, the eight rules
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as EventHub from "./EventHub.ts"
import * as McpApproval from "./McpApproval.ts"
import type { McpClientAdapter, McpSupports } from "./McpClientAdapter.ts"
import * as McpConnectionConfig from "./McpConnectionConfig.ts"
import type { InvalidRequest, McpError } from "./McpError.ts"
import type { McpEventContent } from "./McpEvents.ts"
import type { McpProvider } from "./McpProvider.ts"
import type * as McpRequest from "./McpRequest.ts"
import * as McpRequestParser from "./McpRequestParser.ts"
import type { McpResponse } from "./McpResponse.ts"
import * as McpSessionCatalog from "./McpSessionCatalog.ts"
import * as McpSessionId from "./McpSessionId.ts"
import * as SessionFailure from "./SessionFailure.ts"
import * as SessionTurns from "./SessionTurns.ts"
import * as Telemetry from "./Telemetry.ts"

/**
 * What a server is told of a span, in `_meta`: `traceparent`, and `tracestate` where there is one.
 *
 * @see MCP, SEP-414; W3C Trace Context
 */
export type TraceContext = Readonly<Record<string, string>>

/**
 * The span of a turn, for whoever makes a call of it.
 *
 * - `context`: goes with the call, so that what the server does becomes a part of the trace. None for a span that has no
 *   place in a trace of W3C's, and where propagation is off
 * - `called`: hears which tool was called, in which request
 * - `refused`: hears the code with which the server refused the request
 */
export interface TurnTrace {
  readonly context: TraceContext | undefined
  readonly called: (tool: string, requestId: string) => void
  readonly refused: (code: number) => void
}

/** A turn as its adapter sees it. */
export interface Turn {
  /** Says that the agent is alive. Restarts the idle limit. */
  readonly beat: () => void
  /** Tells an event, and that the agent is alive. `ThreadStarted` counts also when nobody reads, and once. */
  readonly emit: (event: McpEventContent) => void
  /** Asks the session's policy before the agent acts. Always decides, and tells both; the idle limit waits with it. */
  readonly approve: (request: McpApproval.McpApprovalRequest) => Effect.Effect<McpApproval.McpApprovalReply>
  /** Whether anybody reads the events. */
  readonly observed: () => boolean
  /** The turn's span, where somebody watches. */
  readonly trace?: TurnTrace | undefined
}

/** What an agent answered; the runtime adds provider and session. */
export type Answer = Omit<McpResponse, "provider" | "sessionId">

/**
 * A connection to one agent, made by an adapter.
 *
 * - `execute`: takes one turn, and runs at once: an `abort` from then on ends it. Never called again before it has ended.
 *   Interrupting it tells the server.
 * - `abort`: ends the turn under way, if any, with this error, and tells the server. Returns at once.
 * - `protocolVersion`, `model`: the version of MCP that was agreed on, and the model that was asked for, where there is one
 * - `redact`: takes the connection's secrets out of what a server says, before others see it
 */
export interface AgentConnection {
  readonly execute: (request: McpRequest.Parsed, turn: Turn) => Effect.Effect<Answer, McpError>
  readonly abort: (error: McpError) => void
  readonly protocolVersion?: string | undefined
  readonly model?: string | undefined
  readonly redact?: ((text: string) => string) | undefined
}

/**
 * What is different about an adapter. Whatever `connect` acquires belongs to the session's Scope. `approvals` decides
 * what agents may do; by default what `McpApproval` says where the adapter is made. `maxTotalEventBytes`: how many bytes of
 * events may wait for the readers of all sessions, 128 MiB by default; `maxEventBytes` of a configuration says it for one.
 * `trace` is what the handshake may tell the server of the span under way, in its `_meta`.
 */
export interface Driver {
  readonly provider: McpProvider
  readonly supports: McpSupports
  readonly approvals?: McpApproval.McpApprovalPolicy | undefined
  readonly maxTotalEventBytes?: number | undefined
  readonly connect: (
    config: McpConnectionConfig.Parsed,
    sessionId: McpSessionId.McpSessionId,
    trace?: TraceContext | undefined,
  ) => Effect.Effect<AgentConnection, McpError, Scope.Scope>
}

/** Four sessions with readers that are stuck, by the usual limits of both. */
const usualTotalEventBytes = 128 * 1024 * 1024

interface Session extends Telemetry.Traced {
  readonly connection: AgentConnection
  readonly hub: EventHub.EventHub
  readonly turns: SessionTurns.SessionTurns
  /** Ends all that belongs to it, and waits for that, whoever began it. */
  readonly release: (exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void>
  /** Hears that the session is not open any more. */
  readonly left: (() => void) | undefined
}

/**
 * An adapter over a driver. Its sessions end with the Scope.
 *
 * @param driver how to connect, and how to take one turn; a defect of it is one of the operation under way, and the
 *   session stays
 *
 * **Example**
 *
 * ```ts
 * import { McpSessionRuntime } from "@zain/core"
 * import * as Effect from "effect/Effect"
 *
 * export const echo = McpSessionRuntime.make({
 *   provider: "echo",
 *   supports: { streaming: false, approvals: false, cancelKeepsConversation: true, failureKeepsConversation: true },
 *   connect: () => Effect.succeed({ execute: ({ content }) => Effect.succeed({ content, isError: false }), abort() {} }),
 * })
 * ```
 *
 * @see design, §4
 */
export const make = Effect.fnUntraced(function* (driver: Driver) {
  const catalog = yield* McpSessionCatalog.make()
  const clock = yield* Clock.Clock
  const policy = driver.approvals ?? (yield* McpApproval.McpApproval)
  const telemetry = Telemetry.make(driver.provider)
  const allEvents = EventHub.budget(driver.maxTotalEventBytes ?? usualTotalEventBytes)
  const sessions = new Map<McpSessionId.McpSessionId, Session>()
  const over = yield* Deferred.make<void>()
  // Whoever waits for the end gets an error of their own: callers write their stacks into it.
  const clientClosed = Effect.suspend(() => Effect.fail(SessionFailure.clientClosed()))
  const owed = new Set<Deferred.Deferred<void>>()

  // In the opposite order: nobody opens any more, every session closes, and what was closing before has closed.
  const client = yield* Effect.scope
  yield* Scope.addFinalizer(
    client,
    Effect.suspend(() => Effect.forEach([...owed], Deferred.await, { discard: true })),
  )
  const all = yield* Scope.make("parallel")
  // Sessions end politely, however the Scope of their client ends: they have done nothing wrong.
  yield* Scope.addFinalizer(client, Scope.close(all, Exit.void))
  yield* Scope.addFinalizer(client, Deferred.succeed(over, undefined))

  /** Something that the end of the client waits for. */
  const owe = () => {
    const paid = Deferred.makeUnsafe<void>()
    owed.add(paid)
    const pay = Effect.suspend(() => {
      owed.delete(paid)
      return Deferred.succeed(paid, undefined)
    })
    return { pay, paid: Deferred.await(paid) }
  }

  const open = Effect.fnUntraced(function* (
    input: McpConnectionConfig.McpConnectionConfig,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
    trace: Telemetry.Trace | undefined,
  ) {
    const config = yield* Effect.fromResult(McpConnectionConfig.parse(input))
    trace?.reaches(config)
    if (Deferred.isDoneUnsafe(over)) return yield* clientClosed
    yield* Scope.addFinalizer(yield* Effect.scope, owe().pay)
    const id = yield* McpSessionId.make
    const scope = yield* Scope.fork(all)
    const hub = EventHub.make(id, EventHub.budget(config.maxEventBytes), allEvents)
    const { paid, pay } = owe()
    yield* Scope.addFinalizer(scope, Effect.andThen(Effect.sync(hub.end), pay))
    // A Scope that is closing waits for nobody who closes it again.
    const release = (exit: Exit.Exit<unknown, unknown>) => Effect.andThen(Scope.close(scope, exit), paid)
    const connecting = Effect.suspend(() => Scope.provide(driver.connect(config, id, trace?.context), scope))
    const connection = yield* restore(
      Effect.raceFirst(connecting, Effect.andThen(Deferred.await(over), clientClosed)),
    ).pipe(Effect.onError((cause) => release(Exit.failCause(cause))))
    const { provider } = driver
    const closed = () => (sessions.has(id) ? undefined : notOpen(catalog, id))
    const named = (threadId: string) => catalog.setThread(id, threadId)
    const turns = SessionTurns.make({ id, provider, config, connection, hub, scope, clock, policy, closed, named })
    const left = trace?.opened({ id, config, connection })
    const session: Session = { id, config, connection, hub, turns, release, left }
    sessions.set(id, session)
    catalog.register(id, provider, config)
    yield* Scope.addFinalizer(
      scope,
      Effect.sync(() => retire(session)),
    )
    return session
  }, Effect.scoped)

  const openSession: McpClientAdapter["openSession"] = (input) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        telemetry.open((trace) => open(input, restore, trace)),
        ({ id, release }) =>
          // Whoever gave up meanwhile will never hear of the session.
          Effect.onInterrupt(restore(Effect.succeed(id)), () => release(Exit.void)),
      ),
    )

  const leave = ({ id, left }: Session) => {
    if (!sessions.delete(id)) return
    catalog.markClosed(id)
    left?.()
  }

  /** The first thing that the end of a session does, whoever ends it. */
  const retire = (session: Session) => {
    leave(session)
    if (session.hub.isUnderWay())
      session.connection.abort(SessionFailure.sessionClosed(session.id, { delivery: "unknown" }))
  }

  const execute: McpClientAdapter["execute"] = (sessionId, input) =>
    telemetry.execute((trace) => {
      const request = McpRequestParser.parse(input)
      if (Result.isFailure(request)) return Effect.fail(request.failure)
      const session = sessions.get(sessionId)
      if (session === undefined) return Effect.fail(notOpen(catalog, sessionId))
      trace?.within(session)
      return session.turns(request.success, trace)
    })

  const closeSession: McpClientAdapter["closeSession"] = (sessionId) =>
    Effect.uninterruptible(
      telemetry.close((trace) => {
        const session = sessions.get(sessionId)
        if (session === undefined) return Effect.fail(notOpen(catalog, sessionId))
        trace?.within(session)
        leave(session)
        return session.release(Exit.void)
      }),
    )

  const adapter: McpClientAdapter = {
    provider: driver.provider,
    supports: driver.supports,
    openSession,
    execute,
    closeSession,
    events: (sessionId) =>
      Stream.suspend(() => {
        const session = sessions.get(sessionId)
        return session === undefined ? Stream.fail(notOpen(catalog, sessionId)) : session.hub.stream
      }),
  }
  return adapter
})

const notOpen = (
  catalog: McpSessionCatalog.McpSessionCatalog,
  sessionId: McpSessionId.McpSessionId,
): Exclude<McpError, InvalidRequest> => {
  const entry = catalog.requireOpened(sessionId)
  return Result.isFailure(entry) ? entry.failure : SessionFailure.sessionClosed(sessionId)
}
