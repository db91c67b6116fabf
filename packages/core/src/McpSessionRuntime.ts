/**
 * The lifecycle of sessions, the same for every adapter: their state, their turns and limits, and their release. An
 * adapter is a `Driver`: how to connect, and how to run one turn.
 *
 * @see docs/concepts/sessions.md
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AgentConnection, Driver } from "./AgentConnection.ts"
import * as EventHub from "./EventHub.ts"
import * as EventReaders from "./EventReaders.ts"
import * as IdleWatch from "./IdleWatch.ts"
import * as KeepAlive from "./KeepAlive.ts"
import * as McpApproval from "./McpApproval.ts"
import type { McpClientAdapter } from "./McpClientAdapter.ts"
import * as McpConnectionConfig from "./McpConnectionConfig.ts"
import { invalidConfig, type McpError } from "./McpError.ts"
import type { McpStreamEnd, McpStreamed } from "./McpEvents.ts"
import type { McpRequest } from "./McpRequest.ts"
import * as McpRequestParser from "./McpRequestParser.ts"
import type { McpResponse } from "./McpResponse.ts"
import * as McpSessionCatalog from "./McpSessionCatalog.ts"
import * as McpSessionId from "./McpSessionId.ts"
import * as OwnTools from "./OwnTools.ts"
import * as Preparation from "./Preparation.ts"
import * as SessionFailure from "./SessionFailure.ts"
import * as SessionThreads from "./SessionThreads.ts"
import * as SessionTurns from "./SessionTurns.ts"
import * as Telemetry from "./Telemetry.ts"

/** The default of `maxTotalEventBytes`: four sessions whose readers are stuck, at the default of `maxEventBytes`. */
const usualTotalEventBytes = 128 * 1024 * 1024

/** The types refuse it; plain JavaScript passes rules where a function belongs. */
const noPolicy = () =>
  invalidConfig(
    "The `approvals` of this adapter are not a function. Pass rules to `approvals` of `McpPromiseClient.make`, or make a policy " +
      "of them by `McpApproval.make`.",
  )

interface Session extends Telemetry.Traced, SessionThreads.OpenSession {
  readonly config: McpConnectionConfig.Parsed
  readonly connection: AgentConnection
  readonly hub: EventHub.EventHub
  readonly turns: SessionTurns.SessionTurns
  /** Releases everything the session has acquired, and waits for the end of the release, also of one under way. */
  readonly release: (exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void>
  /** Records in telemetry that the session is closed. */
  readonly left: (() => void) | undefined
}

/**
 * Makes an adapter from a driver. Its sessions close with the Scope.
 *
 * @param driver how to connect, and how to run one turn; a defect of it dies in the operation that called it, and the
 *   session stays open
 *
 * @example
 * ```ts
 * import { McpSessionRuntime } from "@zain/core"
 * import * as Effect from "effect/Effect"
 *
 * export const echo = McpSessionRuntime.make({
 *   provider: "echo",
 *   supports: { streaming: false, approvals: false, cancelKeepsConversation: true, failureKeepsConversation: true, background: false },
 *   connect: () => Effect.succeed({ execute: ({ content }) => Effect.succeed({ content, isError: false }), abort() {} }),
 * })
 * ```
 *
 * @see docs/concepts/sessions.md
 */
export const make = Effect.fnUntraced(function* (driver: Driver) {
  const catalog = yield* McpSessionCatalog.make()
  const clock = yield* Clock.Clock
  const policy = driver.approvals ?? (yield* McpApproval.McpApproval)
  const telemetry = Telemetry.make(driver)
  const allEvents = EventReaders.budget(driver.maxTotalEventBytes ?? usualTotalEventBytes)
  const sessions = new Map<McpSessionId.McpSessionId, Session>()
  const over = yield* Deferred.make<void>()
  // Each failure is a new error, as callers write their stacks into it.
  const clientClosed = Effect.suspend(() => Effect.fail(SessionFailure.clientClosed()))
  const pendingReleases = new Set<Deferred.Deferred<void>>()

  // Finalizers run in reverse: no session opens any more, every session closes, and earlier releases end.
  const client = yield* Effect.scope
  yield* Scope.addFinalizer(
    client,
    Effect.suspend(() => Effect.forEach([...pendingReleases], Deferred.await, { discard: true })),
  )
  const all = yield* Scope.make("parallel")
  // `Exit.void`, so that servers are ended gracefully also when the Scope of the client fails.
  yield* Scope.addFinalizer(client, Scope.close(all, Exit.void))
  const idle = IdleWatch.make(clock, all)
  yield* Scope.addFinalizer(client, Deferred.succeed(over, undefined))

  /** Registers a release that the end of the client waits for. */
  const pendingRelease = () => {
    const released = Deferred.makeUnsafe<void>()
    pendingReleases.add(released)
    const done = Effect.suspend(() => {
      pendingReleases.delete(released)
      return Deferred.succeed(released, undefined)
    })
    return { done, released: Deferred.await(released) }
  }

  const open = Effect.fnUntraced(function* (
    input: McpConnectionConfig.McpConnectionConfig,
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
    trace: Telemetry.Trace | undefined,
  ) {
    const config = yield* Effect.fromResult(McpConnectionConfig.parse(input))
    trace?.reaches(config)
    if (Deferred.isDoneUnsafe(over)) return yield* clientClosed
    const decides = (yield* McpApproval.McpSessionApproval) ?? policy
    if (typeof decides !== "function") return yield* Effect.fail(noPolicy())
    if (config.tools.length > 0 && driver.supports.tools !== true) {
      return yield* Effect.fail(SessionFailure.noTools(driver.provider))
    }
    const tools = yield* OwnTools.read(config.tools)
    const definitions = tools.length === 0 ? undefined : tools.map(({ definition }) => definition)
    yield* Scope.addFinalizer(yield* Effect.scope, pendingRelease().done)
    const id = yield* McpSessionId.make
    const scope = yield* Scope.fork(all)
    const hub = EventHub.make(id, EventReaders.budget(config.maxEventBytes), allEvents)
    const { done, released } = pendingRelease()
    let turns: SessionTurns.SessionTurns | undefined
    const end = Effect.sync(() => {
      const texts = turns?.unused() ?? []
      if (texts.length > 0) hub.publish(hub.lastTurn(), { _tag: "SteersUnused", texts })
      hub.end()
    })
    yield* Scope.addFinalizer(scope, Effect.andThen(end, done))
    // A second close of a Scope does not wait for the first: `released` does.
    const release = (exit: Exit.Exit<unknown, unknown>) => Effect.andThen(Scope.close(scope, exit), released)
    const connecting = Effect.suspend(() =>
      Scope.provide(driver.connect(config, id, trace?.context, definitions), scope),
    ).pipe(Effect.tap(({ unref }) => Effect.sync(() => unref?.())))
    const connection = yield* restore(
      Effect.raceFirst(connecting, Effect.andThen(Deferred.await(over), clientClosed)),
    ).pipe(Effect.onError((cause) => release(Exit.failCause(cause))))
    const { causeOf, provider } = driver
    const closed = () => {
      const entry = catalog.requireOpened(id)
      return Result.isFailure(entry) ? entry.failure : undefined
    }
    const named = (threadId: string) => catalog.setThread(id, threadId)
    turns = SessionTurns.make({
      id,
      provider,
      causeOf,
      config,
      connection,
      hub,
      idle,
      clock,
      policy: decides,
      closed,
      named,
      tools,
    })
    const left = trace?.opened({ id, config, connection })
    const session: Session = { id, config, connection, hub, turns, release, left, gone: undefined }
    catalog.register(id, provider, config)
    sessions.set(id, session)
    yield* Scope.addFinalizer(
      scope,
      Effect.sync(() => retire(session)),
    )
    return session
  }, Effect.scoped)

  const openSession: McpClientAdapter["openSession"] = (input) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(KeepAlive.during(telemetry.open((trace) => open(input, restore, trace))), ({ id, release }) =>
        // An interrupted caller never receives the id, so the session closes.
        Effect.onInterrupt(restore(Effect.succeed(id)), () => release(Exit.void)),
      ),
    )

  /** The session of an id, if the catalog has it as open. */
  const opened = (sessionId: McpSessionId.McpSessionId) =>
    Result.map(catalog.requireOpened(sessionId), () => sessions.get(sessionId) as Session)

  const leave = ({ id, left }: Session) => {
    if (!sessions.delete(id)) return
    catalog.markClosed(id)
    left?.()
  }

  /** Runs first when a session closes, by `closeSession` or with its client. */
  const retire = (session: Session) => {
    leave(session)
    if (session.gone !== undefined) {
      Deferred.doneUnsafe(session.gone, Effect.fail(SessionFailure.sessionClosed(session.id, { delivery: "unknown" })))
    }
    if (!session.hub.isUnderWay()) return
    const entry = Option.getOrUndefined(catalog.resolve(session.id))
    session.connection.abort(SessionFailure.sessionClosed(session.id, { ...entry, delivery: "unknown" }))
  }

  const run = (sessionId: McpSessionId.McpSessionId, input: McpRequest, began?: (turn: number) => void) =>
    telemetry.execute((trace) => {
      const request = McpRequestParser.parse(input)
      if (Result.isFailure(request)) return Effect.fail(request.failure)
      const session = opened(sessionId)
      if (Result.isFailure(session)) return Effect.fail(session.failure)
      trace?.within(session.success)
      const { config, turns } = session.success
      return turns.run(request.success, trace, began, Preparation.of(request.success, config, driver))
    })

  const steer: McpClientAdapter["steer"] = (sessionId, content) =>
    Effect.suspend(() => {
      const request = McpRequestParser.parse(content)
      if (Result.isFailure(request)) return Effect.fail(request.failure)
      const session = opened(sessionId)
      return Result.isFailure(session)
        ? Effect.fail(session.failure)
        : KeepAlive.during(
            SessionThreads.whileOpen(session.success, session.success.turns.steer(request.success.content)),
          )
    })

  const stream = (sessionId: McpSessionId.McpSessionId, input: McpRequest): Stream.Stream<McpStreamed, McpError> =>
    Stream.unwrap(
      Effect.gen(function* () {
        let mine: number | undefined
        const answer = run(sessionId, input, (turn) => {
          mine = turn
        })
        const session = opened(sessionId)
        if (Result.isFailure(session)) return last(answer)
        const events = yield* session.success.hub.ofTurns((turn) => turn === mine)
        const answering = yield* Effect.forkScoped(answer, { startImmediately: true })
        answering.addObserver(events.over)
        return Stream.concat(events.stream, last(Fiber.join(answering)))
      }),
    )

  const closeSession: McpClientAdapter["closeSession"] = (sessionId) =>
    Effect.uninterruptible(
      KeepAlive.during(
        telemetry.close((trace) => {
          const session = opened(sessionId)
          if (Result.isFailure(session)) return Effect.fail(session.failure)
          trace?.within(session.success)
          leave(session.success)
          return session.success.release(Exit.void)
        }),
      ),
    )

  const adapter: McpClientAdapter = {
    provider: driver.provider,
    supports: driver.supports,
    openSession,
    execute: (sessionId, input) => run(sessionId, input) as Typed,
    closeSession,
    steer,
    threads: SessionThreads.make(driver.provider, opened),
    stream: (sessionId, input) => stream(sessionId, input) as Typed,
    events: (sessionId) =>
      Stream.suspend(() => {
        const session = opened(sessionId)
        return Result.isFailure(session) ? Stream.fail(session.failure) : session.success.hub.stream
      }),
  }
  return adapter
})

/** The schema of the request has checked `structured` of the response, which has its type therefore. */
type Typed = never

/** The last element of `stream`. */
const last = (answer: Effect.Effect<McpResponse, McpError>): Stream.Stream<McpStreamEnd, McpError> =>
  Stream.fromEffect(Effect.map(answer, (response) => ({ _tag: "Response", response })))
