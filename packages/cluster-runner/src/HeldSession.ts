/**
 * One session as a runner holds it: its claim in the ledger, and its agent.
 */
import { Ledger, type LedgerError } from "@zain/cluster-client/Ledger"
import type { Session } from "@zain/cluster-client/SessionEntity"
import type { AgentConnection, Driver } from "@zain/core/AgentConnection"
import { type InvalidRequest, invalidConfig, type McpError } from "@zain/core/McpError"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as SessionFailure from "@zain/core/SessionFailure"
import * as Entity from "effect/cluster/Entity"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as PrimaryKey from "effect/PrimaryKey"
import * as RcMap from "effect/RcMap"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { RunnerAgent } from "./AgentTable.ts"
import * as AgentTable from "./AgentTable.ts"
import * as RunnerFailure from "./RunnerFailure.ts"

/** An agent of the table, and a driver of it for what all its drivers have in common. */
export interface DrivenAgent {
  readonly agent: RunnerAgent
  readonly driver: Driver
}

/** The agents of a runner. */
export interface Agents {
  /** Returns an agent; fails with `invalid-config` for an unknown name. */
  readonly find: (name: string) => Effect.Effect<DrivenAgent, InvalidRequest>
  /** The driver of an agent for one owner; sessions of different owners share no process and no conversation. */
  readonly driverOf: (name: string, owner: string) => Effect.Effect<Driver, InvalidRequest, Scope.Scope>
  /** What the runner does now: sessions whose agent is open, turns under way, and turns that have failed since its start. */
  readonly counts: { sessions: number; turns: number; failures: number }
}

/** Makes the agents of a table. Their drivers end with the Scope. */
export const agentsOf = Effect.fnUntraced(function* (table: AgentTable.AgentTable) {
  const driven = new Map<string, DrivenAgent>()
  for (const [name, agent] of Object.entries(table)) driven.set(name, { agent, driver: yield* agent.driver })
  const find = (name: string) => {
    const found = driven.get(name)
    return found === undefined
      ? Effect.fail(invalidConfig(`This runner has no agent \`${name}\`; it has: ${[...driven.keys()].join(", ")}.`))
      : Effect.succeed(found)
  }
  const lookup = (key: string) => {
    const [name] = JSON.parse(key) as [string, string]
    return Effect.flatMap(find(name), ({ agent }) => agent.driver)
  }
  const drivers = yield* RcMap.make({ lookup })
  const agents: Agents = {
    find,
    driverOf: (name, owner) => RcMap.get(drivers, JSON.stringify([name, owner])),
    counts: { sessions: 0, turns: 0, failures: 0 },
  }
  return agents
})

/** A session that this runner has claimed. */
export interface Claim {
  readonly owner: string
  readonly epoch: number
  threadId: string | undefined
  hasTurns: boolean
  connection: { readonly agent: AgentConnection; readonly scope: Scope.Closeable } | undefined
}

/** A session of an entity. */
export interface HeldSession {
  /** The id of the session. */
  readonly id: string
  /** The address of this runner. */
  readonly runner: string
  /** The ledger that has the claim. */
  readonly ledger: Ledger
  /** Makes a write to the ledger in the background, which outlives the call. */
  readonly write: (write: Effect.Effect<void, LedgerError>) => void
  /** The claim, made by the first call; `undefined` for a closed session. Fails with `SessionNotFound` for another owner. */
  readonly claimed: (session: Session) => Effect.Effect<Claim | undefined, McpError>
  /** The agent, opened by the first call. If not `isNew`, it continues the conversation, or fails with `conversation-lost`. */
  readonly connected: (claim: Claim, session: Session, isNew: boolean) => Effect.Effect<AgentConnection, McpError>
  /** The claim, if there is one; fails with `SessionNotFound` for another owner. */
  readonly current: (owner: string) => Effect.Effect<Claim | undefined, McpError>
  /** Stores the agent's id of the conversation. */
  readonly named: (claim: Claim, threadId: string) => void
  /** Closes the agent, and forgets the claim. */
  readonly release: Effect.Effect<void>
  /** As `release`, for good: no message that arrives later opens the session again. */
  readonly close: Effect.Effect<void>
}

/** Makes a session of the entity that the Effect runs for. Its agent ends with the entity. */
export const make = Effect.fnUntraced(function* (agents: Agents, id: string) {
  const runner = PrimaryKey.value(yield* Entity.CurrentRunnerAddress)
  const ledger = yield* Ledger
  const entity = yield* Effect.scope
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const changing = Semaphore.makeUnsafe(1)
  let held: Claim | undefined
  let isClosed = false

  const foreign = Effect.suspend(() => Effect.fail(SessionFailure.sessionNotFound(id as McpSessionId)))
  const current = (owner: string) =>
    Effect.suspend(() => (held === undefined || held.owner === owner ? Effect.succeed(held) : foreign))
  const write = (effect: Effect.Effect<void, LedgerError>) => void fork(Effect.ignore(effect))

  const claim = Effect.fnUntraced(function* ({ agent, owner }: Session) {
    if (isClosed) return undefined
    const claim = yield* Effect.mapError(ledger.claim({ session: id, owner, agent, runner }), RunnerFailure.unavailable)
    if (claim._tag !== "Claimed") return claim._tag === "Closed" ? undefined : yield* foreign
    const { epoch, hasTurns, threadId } = claim
    if (epoch > 1) yield* Effect.logInfo(`Session ${id} taken over: epoch ${epoch - 1} to ${epoch}`)
    held = { owner, epoch, threadId, hasTurns, connection: undefined }
    return held
  })

  const connect = Effect.fnUntraced(function* (mine: Claim, session: Session, isNew: boolean) {
    const { agent } = yield* agents.find(session.agent)
    const configuration = Redacted.value(session.configuration)
    const { threadId: given } = configuration.options
    const threadId = mine.threadId ?? session.threadId ?? (typeof given === "string" ? given : undefined)
    if (!isNew && threadId === undefined && (mine.hasTurns || session.hasTurns)) {
      return yield* Effect.fail(RunnerFailure.conversationLost())
    }
    const config = yield* Effect.fromResult(AgentTable.configure(agent, configuration, isNew ? undefined : threadId))
    const scope = yield* Scope.fork(entity)
    const connection = yield* Scope.provide(
      Effect.flatMap(agents.driverOf(session.agent, session.owner), ({ connect }) =>
        connect(config, id as McpSessionId, session.trace, session.tools),
      ),
      scope,
    ).pipe(Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))))
    agents.counts.sessions++
    yield* Scope.addFinalizer(
      scope,
      Effect.sync(() => void agents.counts.sessions--),
    )
    mine.connection = { agent: connection, scope }
    return connection
  })

  const release = changing.withPermit(
    Effect.suspend(() => {
      const scope = held?.connection?.scope
      held = undefined
      return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
    }),
  )

  const session: HeldSession = {
    ...{ id, runner, ledger, write, current },
    claimed: (session) =>
      changing.withPermit(
        Effect.flatMap(current(session.owner), (mine) => (mine === undefined ? claim(session) : Effect.succeed(mine))),
      ),
    connected: (mine, session, isNew) =>
      changing.withPermit(
        Effect.suspend(() =>
          mine.connection === undefined ? connect(mine, session, isNew) : Effect.succeed(mine.connection.agent),
        ),
      ),
    named: (mine, threadId) => {
      if (mine.threadId === threadId) return
      mine.threadId = threadId
      write(ledger.named(id, mine.epoch, threadId))
    },
    release,
    close: Effect.suspend(() => {
      isClosed = true
      return release
    }),
  }
  return session
})
