/**
 * Sessions on the runners of a cluster, as a driver of core's session runtime: order, limits, events and policy stay with the
 * caller.
 */
import type { AgentConnection, AgentThreads, Driver, Turn } from "@zain/core/AgentConnection"
import { invalidConfig, type McpError } from "@zain/core/McpError"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as CallerTurns from "./CallerTurns.ts"
import * as ConfigurationCodec from "./ConfigurationCodec.ts"
import * as ConversationPlaces from "./ConversationPlaces.ts"
import { Ledger } from "./Ledger.ts"
import { Replies } from "./Replies.ts"
import * as RunnerCalls from "./RunnerCalls.ts"
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

/** How long a session that failed to open may take to close, and the ledger to close a session. */
const leaving = Duration.millis(250)

/** What a call may take beyond the limit that the runner enforces. */
const grace = Duration.millis(250)

/** Makes the driver. Asks a runner what the agent can do, and fails if none answers. */
export const make = Effect.fnUntraced(function* ({ acceptTimeout, agent, group, owner }: Options) {
  const client = yield* SessionEntity.AgentSession.client
  const ledger = yield* Ledger
  const replies = yield* Replies
  const calls = yield* RunnerCalls.make(group)
  const { supports, vendor } = yield* calls.ask(
    client(SessionEntity.addressOf(`agent-${agent}`, group)).describe({ agent }),
    acceptTimeout,
    () => calls.noRunner("unreachable", acceptTimeout),
  )

  const places = ConversationPlaces.make()
  const connect: Driver["connect"] = Effect.fnUntraced(function* (config, id, trace, tools) {
    const encoded = yield* Effect.fromResult(ConfigurationCodec.encode(config))
    if (encoded.agent !== agent) {
      return yield* Effect.fail(invalidConfig(`This client is for \`${agent}\`; \`serverUrl\` names another agent.`))
    }
    const configuration = Redacted.make(encoded.configuration)
    const place = places.of(id, encoded.configuration.options["threadId"])
    const entity = client(SessionEntity.addressOf(place.place, group))
    const scope = yield* Effect.scope
    let threadId: string | undefined
    let [hasTurns, isOpen] = [false, false]
    const session = (turn?: Turn): SessionEntity.Session => {
      const context = turn === undefined ? trace : turn.trace?.context
      return {
        ...{ id, owner, agent, configuration, hasTurns },
        ...(tools === undefined ? {} : { tools }),
        ...(context === undefined ? {} : { trace: context }),
        ...(threadId === undefined ? {} : { threadId }),
      }
    }

    const close = Effect.suspend(() =>
      RunnerCalls.exitOf(
        entity.close({ session: id, owner }),
        isOpen ? Duration.sum(config.closeGrace, grace) : leaving,
      ),
    ).pipe(
      Effect.flatMap((exit) =>
        exit !== undefined && Exit.isSuccess(exit)
          ? Effect.void
          : Effect.ignore(Effect.timeoutOption(ledger.close(id, owner), leaving)),
      ),
    )
    yield* Scope.addFinalizer(scope, Effect.ensuring(close, Effect.sync(place.leave)))
    // Ends before `close`, and after the session runtime has aborted the turn under way.
    const streams = yield* Scope.fork(scope)
    const { model, protocolVersion } = yield* calls.ask(
      entity.open({ session: session() }),
      Duration.sum(config.connectTimeout, grace),
      (why) =>
        why === undefined
          ? calls.noRunner("connect-timeout", config.connectTimeout)
          : RunnerCalls.lost("not-sent")(why),
    )
    isOpen = true

    const execute = CallerTurns.make({
      ...{ id, owner, acceptTimeout, ledger, calls, replies, streams },
      begun: () => {
        hasTurns = true
      },
      named: (name) => {
        threadId = name
        place.named(name)
      },
      send: (key, prompt, turn) => entity.turn({ session: session(turn), key, prompt }),
    })
    const waited = <A, E>(call: Effect.Effect<A, E>) => calls.ask(call, config.idleTimeout, RunnerCalls.lost("unknown"))
    const stored = storedThreads((operation) => waited(entity.threads({ session: session(), operation })))
    let aborted = Deferred.makeUnsafe<never, McpError>()
    const connection: AgentConnection = {
      execute: (request, turn) => {
        const over = Deferred.makeUnsafe<never, McpError>()
        aborted = over
        return execute(request, turn, over)
      },
      abort: (error) => void Deferred.doneUnsafe(aborted, Effect.fail(error)),
      steer: supports.steer === true ? (content) => waited(entity.steer({ session: id, owner, content })) : undefined,
      threads: supports.threads === true ? stored : undefined,
      ...{ protocolVersion, model },
    }
    return connection
  })

  const driver: Driver = { provider: agent, supports, vendor, connect }
  return driver
})

/** @param run runs an operation on the runner, whose result has the operation's type */
const storedThreads = (
  run: (operation: SessionEntity.ThreadOperation) => Effect.Effect<unknown, McpError>,
): AgentThreads => {
  const threads = run as <A>(operation: SessionEntity.ThreadOperation) => Effect.Effect<A, McpError>
  return {
    list: (query) => threads({ _tag: "List", ...query }),
    read: (threadId, query) => threads({ _tag: "Read", threadId, ...query }),
    fork: (threadId, turn) => threads({ _tag: "Fork", threadId, ...(turn === undefined ? {} : { turn }) }),
    change: (threadId, change) => threads({ _tag: "Change", threadId, ...change }),
  }
}
