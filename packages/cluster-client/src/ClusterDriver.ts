/**
 * Sessions on the runners of a cluster, as a driver of core's session runtime: order, limits, events and policy stay with the
 * caller.
 */
import type { AgentConnection, AgentRequest, AgentThreads, Answer, Driver, Turn } from "@zain/core/AgentConnection"
import { invalidConfig, type McpDelivery, type McpError } from "@zain/core/McpError"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ClusterFailure from "./ClusterFailure.ts"
import { PeerFailures } from "./ClusterTransport.ts"
import * as ConfigurationCodec from "./ConfigurationCodec.ts"
import { Ledger } from "./Ledger.ts"
import * as SessionEntity from "./SessionEntity.ts"

/** Where the sessions of a client run. */
export interface Options {
  /** The name of the agent in the table of the runners. */
  readonly agent: string
  /** The group of runners. */
  readonly group: string
  /** The principal of the caller: a session and its keys belong to it. */
  readonly owner: string
  /** How long a runner may take to accept a turn, or to answer any other message. */
  readonly acceptTimeout: Duration.Duration
}

/** The key of an `executeOnce`; the driver reads it where the turn runs. */
export const OnceKey = Context.Reference<string | undefined>("@zain/cluster-client/OnceKey", {
  defaultValue: () => undefined,
})

/** How long the ledger may take to judge a turn, and how long a session that failed to open may take to close. */
const [judging, leaving] = [Duration.seconds(5), Duration.millis(250)]

/** What a call may take beyond the limit that the runner enforces. */
const grace = Duration.millis(250)

/** Makes the driver. Asks a runner what the agent can do, and fails if none answers. */
export const make = Effect.fnUntraced(function* ({ acceptTimeout, agent, group, owner }: Options) {
  const client = yield* SessionEntity.AgentSession.client
  const ledger = yield* Ledger
  const failures = yield* Effect.serviceOption(PeerFailures)
  /** Fails as no runner has answered, with the last failure of a connection to one. */
  const noRunner = (reason: "connect-timeout" | "unreachable", limit: Duration.Duration) =>
    Effect.flatMap(Option.isSome(failures) ? failures.value.last : Effect.succeed(Option.none<string>()), (why) =>
      Effect.fail(ClusterFailure.noRunner(reason, group, limit, Option.getOrUndefined(why))),
    )

  /**
   * The exit of a call to a runner; `undefined` if it took too long. The call runs in a fiber of its own, so that an
   * interruption by the engine is no interruption of the caller, and that one of the caller does not wait for the runner.
   */
  const exitOf = <A, E>(call: Effect.Effect<A, E>, limit: Duration.Duration) =>
    // Detached, as a session closes with its client, whose Scope is closed by then.
    Effect.flatMap(Effect.forkDetach(call, { startImmediately: true }), (fiber) =>
      Effect.map(Effect.timeoutOption(Fiber.await(fiber), limit), Option.getOrUndefined).pipe(
        Effect.ensuring(Effect.sync(() => fiber.interruptUnsafe())),
      ),
    )

  /** Calls a runner. Fails with the runner's error, or as `failed` reads the exit. */
  const ask = <A, E>(
    call: Effect.Effect<A, E>,
    limit: Duration.Duration,
    failed: (cause: Cause.Cause<unknown> | undefined) => Effect.Effect<never, McpError>,
  ): Effect.Effect<A, McpError> =>
    Effect.flatMap(exitOf(call, limit), (exit) => {
      if (exit !== undefined && Exit.isSuccess(exit)) return Effect.succeed(exit.value)
      const error = ClusterFailure.read(exit?.cause)
      return error === undefined ? failed(exit?.cause) : Effect.fail(error)
    })
  const lost = (delivery: McpDelivery) => (cause: Cause.Cause<unknown> | undefined) =>
    Effect.fail(ClusterFailure.lost(delivery, cause))

  const { supports, vendor } = yield* ask(
    client(SessionEntity.addressOf(`agent-${agent}`, group)).describe({ agent }),
    acceptTimeout,
    () => noRunner("unreachable", acceptTimeout),
  )

  const connect: Driver["connect"] = Effect.fnUntraced(function* (config, sessionId, trace, tools) {
    const encoded = yield* Effect.fromResult(ConfigurationCodec.encode(config))
    if (encoded.agent !== agent) {
      return yield* Effect.fail(
        invalidConfig(`This client is for \`stdio:${agent}\`; the configuration names another agent.`),
      )
    }
    const configuration = Redacted.make(encoded.configuration)
    const entity = client(SessionEntity.addressOf(sessionId, group))
    const scope = yield* Effect.scope
    let threadId: string | undefined
    let [hasTurns, isOpen, turns] = [false, false, 0]
    const session = (context = trace): SessionEntity.Session => ({
      ...{ owner, agent, configuration, hasTurns },
      ...(tools === undefined ? {} : { tools }),
      ...(context === undefined ? {} : { trace: context }),
      ...(threadId === undefined ? {} : { threadId }),
    })

    const close = Effect.suspend(() =>
      Effect.flatMap(
        exitOf(entity.close({ owner }), isOpen ? Duration.sum(config.closeGrace, grace) : leaving),
        (exit) =>
          exit !== undefined && Exit.isSuccess(exit)
            ? Effect.void
            : Effect.ignore(Effect.timeoutOption(ledger.close(sessionId, owner), leaving)),
      ),
    )
    yield* Scope.addFinalizer(scope, close)
    // Ends before `close`, and after the session runtime has aborted the turn under way.
    const streams = yield* Scope.fork(scope)
    const { model, protocolVersion } = yield* ask(
      entity.open({ session: session() }),
      Duration.sum(config.connectTimeout, grace),
      (cause) => (cause === undefined ? noRunner("connect-timeout", config.connectTimeout) : lost("not-sent")(cause)),
    )
    isOpen = true

    let aborted = Deferred.makeUnsafe<never, McpError>()
    const parts = new WeakMap<Turn, number>()

    const nextKey = (turn: Turn, once: string | undefined): SessionEntity.Key => {
      if (once === undefined) return { _tag: "Turn", number: ++turns }
      const part = (parts.get(turn) ?? 0) + 1
      parts.set(turn, part)
      return { _tag: "Once", key: once, part }
    }

    /** What became of a turn whose stream ended without an answer. */
    const verdict = (
      key: SessionEntity.Key,
      cause: Cause.Cause<unknown> | undefined,
    ): Effect.Effect<Answer, McpError> => {
      const failed = (delivery: McpDelivery) =>
        cause === undefined && delivery === "not-sent" ? noRunner("unreachable", acceptTimeout) : lost(delivery)(cause)
      // A key that outlives the caller stays usable: asking again with it is safe.
      if (key._tag === "Once") return failed("unknown")
      return Effect.exit(
        Effect.timeoutOption(ledger.withdraw(sessionId, SessionEntity.keyOf(sessionId, owner, key)), judging),
      ).pipe(
        Effect.flatMap((exit) => {
          const known = Exit.isSuccess(exit) ? Option.getOrUndefined(exit.value) : undefined
          if (known?._tag === "Withdrawn") return failed("not-sent")
          if (known?._tag !== "Done" || known.answer === undefined) return failed("unknown")
          return Effect.flatMap(Effect.orDie(decodeOutcome(known.answer)), (outcome) =>
            outcome._tag === "Answered" ? Effect.succeed(outcome.answer) : Effect.fail(outcome.error),
          )
        }),
      )
    }

    /** Handles the items of one turn, until its stream ends; `answered` receives the answer. */
    const read = (
      key: SessionEntity.Key,
      { deadline: _, providerOptions, ...prompt }: AgentRequest,
      turn: Turn,
      report: (what: "begun" | Answer) => void,
    ) => {
      const options = providerOptions && {
        providerOptions: Redacted.make(ConfigurationCodec.encodeOptions(providerOptions)),
      }
      const asked = new Map<number, Fiber.Fiber<unknown>>()
      const reply = (id: number, replying: Effect.Effect<SessionEntity.Reply>) =>
        replying.pipe(
          Effect.flatMap((reply) => exitOf(entity.reply({ owner, id, reply }), acceptTimeout)),
          Effect.ensuring(Effect.sync(() => asked.delete(id))),
          Effect.forkChild({ startImmediately: true }),
          Effect.flatMap((fiber) =>
            Effect.sync(() => {
              if (fiber.pollUnsafe() === undefined) asked.set(id, fiber)
            }),
          ),
        )
      const handle = (item: SessionEntity.Item): Effect.Effect<void> => {
        switch (item._tag) {
          case "Begun":
            hasTurns = true
            return Effect.sync(() => report("begun"))
          case "Event":
            if (item.event._tag === "ThreadStarted") threadId = item.event.threadId
            return Effect.sync(() => turn.emit(item.event))
          case "Beat":
            return Effect.sync(turn.beat)
          case "Ask":
            return reply(item.id, turn.approve(item.request))
          case "Call":
            return reply(
              item.id,
              Effect.map(turn.callTool(item.name, item.args), (answer) => ({ _tag: "ToolAnswer", ...answer })),
            )
          case "Withdrawn":
            return Effect.sync(() => asked.get(item.id)?.interruptUnsafe())
          case "Keep":
            return Effect.sync(turn.keep)
          case "Over":
            return Effect.sync(turn.over)
          case "Called":
            return Effect.sync(() => turn.trace?.called(item.tool, item.requestId))
          case "Refused":
            return Effect.sync(() => turn.trace?.refused(item.code))
          case "Answer":
            threadId = item.answer.threadId ?? threadId
            return Effect.sync(() => report(item.answer))
        }
      }
      const sent = { session: session(turn.trace?.context), key, prompt: { ...prompt, ...options } }
      return Stream.runForEach(entity.turn(sent), handle)
    }

    const execute = Effect.fnUntraced(function* (
      request: AgentRequest,
      turn: Turn,
      over: Deferred.Deferred<never, McpError>,
    ) {
      const key = nextKey(turn, yield* OnceKey)
      const ended = Deferred.makeUnsafe<Answer | Cause.Cause<unknown>>()
      let isBegun = false
      const report = (what: "begun" | Answer) => {
        if (what === "begun") isBegun = true
        else Deferred.doneUnsafe(ended, Effect.succeed(what))
      }
      const reading = yield* Effect.forkIn(read(key, request, turn, report), streams, { startImmediately: true })
      reading.addObserver((exit) => {
        Deferred.doneUnsafe(ended, Effect.succeed(Exit.isFailure(exit) ? exit.cause : Cause.empty))
      })
      const late = Effect.flatMap(Effect.sleep(acceptTimeout), () =>
        isBegun ? Effect.never : Effect.succeed(undefined),
      )
      const outcome = yield* Effect.raceFirst(Effect.raceFirst(Deferred.await(ended), late), Deferred.await(over)).pipe(
        Effect.onError(() => Effect.sync(() => reading.interruptUnsafe())),
      )
      if (outcome !== undefined && !Cause.isCause(outcome)) return outcome
      // The close of the session ends both the stream and the turn.
      if (Deferred.isDoneUnsafe(over)) return yield* Deferred.await(over)
      if (outcome === undefined) reading.interruptUnsafe()
      const error = ClusterFailure.read(outcome)
      return error === undefined ? yield* verdict(key, outcome) : yield* Effect.fail(error)
    })

    /** The runner's driver has the type of the result. */
    const threads = <A>(operation: SessionEntity.ThreadOperation): Effect.Effect<A, McpError> =>
      ask(entity.threads({ session: session(), operation }), config.idleTimeout, lost("unknown")) as Effect.Effect<
        never,
        McpError
      >
    const stored: AgentThreads = {
      list: (query) => threads({ _tag: "List", ...query }),
      read: (id, query) => threads({ _tag: "Read", threadId: id, ...query }),
      fork: (id, turn) => threads({ _tag: "Fork", threadId: id, ...(turn === undefined ? {} : { turn }) }),
      change: (id, change) => threads({ _tag: "Change", threadId: id, ...change }),
    }

    const connection: AgentConnection = {
      execute: (request, turn) => {
        const mine = Deferred.makeUnsafe<never, McpError>()
        aborted = mine
        return execute(request, turn, mine)
      },
      abort: (error) => void Deferred.doneUnsafe(aborted, Effect.fail(error)),
      ...(supports.steer === true
        ? {
            steer: (content: string) => ask(entity.steer({ owner, content }), config.idleTimeout, lost("unknown")),
          }
        : {}),
      ...(supports.threads === true ? { threads: stored } : {}),
      protocolVersion,
      model,
    }
    return connection
  })

  const driver: Driver = { provider: agent, supports, vendor, connect }
  return driver
})

const decodeOutcome = Schema.decodeEffect(SessionEntity.Outcome)
