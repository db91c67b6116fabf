/**
 * What a runner does for one session, message by message. Every message is checked against the owner of the session.
 */
import type { ThreadOperation } from "@zain/cluster-client/SessionEntity"
import * as SessionEntity from "@zain/cluster-client/SessionEntity"
import type { AgentThreads } from "@zain/core/AgentConnection"
import type { McpError } from "@zain/core/McpError"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as SessionFailure from "@zain/core/SessionFailure"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Agents } from "./HeldSession.ts"
import * as HeldSession from "./HeldSession.ts"
import * as RunnerFailure from "./RunnerFailure.ts"
import * as SessionTurn from "./SessionTurn.ts"

/** Makes the handlers of the entity that the Effect runs for. */
export const make = Effect.fnUntraced(function* (agents: Agents) {
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof HeldSession.make>>>()
  const sessions = new Map<
    string,
    { readonly held: HeldSession.HeldSession; readonly turns: SessionTurn.SessionTurns }
  >()

  const sessionOf = (id: string) =>
    Effect.suspend(() => {
      const known = sessions.get(id)
      if (known !== undefined) return Effect.succeed(known)
      return Effect.gen(function* () {
        const held = yield* HeldSession.make(agents, id)
        const session = sessions.get(id) ?? { held, turns: yield* SessionTurn.make(agents, held) }
        sessions.set(id, session)
        return session
      }).pipe(Effect.provideContext(context))
    })

  /** The session of a message that opens none, if this runner holds it for the owner. */
  const current = Effect.fnUntraced(function* ({
    owner,
    session: id,
  }: {
    readonly owner: string
    readonly session: string
  }) {
    const session = yield* sessionOf(id)
    return { ...session, mine: yield* session.held.current(owner) }
  })

  /** The agent of a session that is open. */
  const connected = Effect.fnUntraced(function* (session: SessionEntity.Session, isNew: boolean) {
    yield* agents.find(session.agent)
    const { held } = yield* sessionOf(session.id)
    const mine = yield* held.claimed(session)
    return mine === undefined
      ? yield* Effect.fail(SessionFailure.sessionClosed(held.id as McpSessionId))
      : yield* held.connected(mine, session, isNew)
  })

  return SessionEntity.AgentSession.of({
    describe: ({ payload }) =>
      Effect.map(agents.find(payload.agent), ({ driver: { supports, vendor } }) => ({
        supports,
        ...(vendor === undefined ? {} : { vendor }),
      })),
    open: ({ payload }) =>
      Effect.map(connected(payload.session, true), ({ model, protocolVersion }) => ({
        ...(protocolVersion === undefined ? {} : { protocolVersion }),
        ...(model === undefined ? {} : { model }),
      })),
    turn: ({ payload }) => Stream.unwrap(Effect.map(sessionOf(payload.session.id), ({ turns }) => turns(payload))),
    steer: ({ payload }) =>
      Effect.flatMap(
        current(payload),
        ({ mine }) => mine?.connection?.agent.steer?.(payload.content) ?? Effect.fail(SessionFailure.noTurn()),
      ),
    threads: ({ payload: { operation, session } }) =>
      Effect.flatMap(connected(session, false), ({ threads }) =>
        threads === undefined
          ? Effect.fail(SessionFailure.noThreads(session.agent))
          : Effect.map(operate(threads, operation), (result) => SessionEntity.jsonOf(result ?? null)),
      ),
    close: ({ payload }) =>
      Effect.gen(function* () {
        const { held } = yield* current(payload)
        yield* held.close
        yield* Effect.mapError(held.ledger.close(held.id, payload.owner), RunnerFailure.unavailable)
        sessions.delete(held.id)
      }),
  })
})

const operate = (threads: AgentThreads, { _tag, ...given }: ThreadOperation): Effect.Effect<unknown, McpError> => {
  const operation = { _tag, ...given } as ThreadOperation
  switch (operation._tag) {
    case "List":
      return threads.list(given as never)
    case "Read":
      return threads.read(operation.threadId, operation)
    case "Fork":
      return threads.fork(operation.threadId, operation.turn)
    case "Change":
      return threads.change(operation.threadId, operation as never)
  }
}
