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
import type { Agents } from "./HeldSession.ts"
import * as HeldSession from "./HeldSession.ts"
import * as RunnerFailure from "./RunnerFailure.ts"
import * as SessionTurn from "./SessionTurn.ts"

/** Makes the handlers of the entity that the Effect runs for. */
export const make = Effect.fnUntraced(function* (agents: Agents) {
  const held = yield* HeldSession.make(agents)
  const turns = yield* SessionTurn.make(agents, held)

  /** The agent of a session that is open. */
  const connected = Effect.fnUntraced(function* (session: SessionEntity.Session, isNew: boolean) {
    yield* agents.find(session.agent)
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
    turn: ({ payload }) => turns.run(payload),
    reply: ({ payload: { id, owner, reply } }) =>
      Effect.map(held.current(owner), (mine) => {
        if (mine !== undefined) turns.reply(id, reply)
      }),
    steer: ({ payload: { content, owner } }) =>
      Effect.flatMap(
        held.current(owner),
        (mine) => mine?.connection?.agent.steer?.(content) ?? Effect.fail(SessionFailure.noTurn()),
      ),
    threads: ({ payload: { operation, session } }) =>
      Effect.flatMap(connected(session, false), ({ threads }) =>
        threads === undefined
          ? Effect.fail(SessionFailure.noThreads(session.agent))
          : Effect.map(operate(threads, operation), (result) => SessionEntity.jsonOf(result ?? null)),
      ),
    close: ({ payload: { owner } }) =>
      held
        .current(owner)
        .pipe(
          Effect.andThen(held.release),
          Effect.andThen(Effect.mapError(held.ledger.close(held.id, owner), RunnerFailure.unavailable)),
        ),
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
