/**
 * A ledger in memory, for one process and for tests.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Known, Ledger, type RunnerLoad } from "./Ledger.ts"

interface Session {
  readonly owner: string
  runner: string
  epoch: number
  isClosed: boolean
  hasTurns: boolean
  threadId: string | undefined
  usedAt: number
}

interface Turn {
  readonly session: string
  readonly epoch: number
  state: "begun" | "done" | "withdrawn"
  answer: string | undefined
  changedAt: number
}

/** Makes an empty ledger. */
export const make: Effect.Effect<Ledger> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const sessions = new Map<string, Session>()
  const turns = new Map<string, Turn>()
  const now = () => clock.currentTimeMillisUnsafe()
  const current = (id: string, epoch: number) => {
    const session = sessions.get(id)
    return session !== undefined && !session.isClosed && session.epoch === epoch ? session : undefined
  }
  const known = ({ answer, epoch, session, state }: Turn): Known => {
    if (state === "withdrawn") return { _tag: "Withdrawn" }
    if (state === "begun") return { _tag: "Begun", isCurrent: current(session, epoch) !== undefined }
    return { _tag: "Done", ...(answer === undefined ? {} : { answer }) }
  }
  const insert = (key: string, turn: Pick<Turn, "session" | "epoch" | "state">) =>
    turns.set(key, { ...turn, answer: undefined, changedAt: now() })
  const ofSession = (id: string) => [...turns.values()].filter(({ session }) => session === id)

  return {
    claim: ({ owner, runner, session: id }) =>
      Effect.sync(() => {
        const flags = { isClosed: false, hasTurns: false }
        const session = sessions.get(id) ?? { owner, runner, epoch: 0, ...flags, threadId: undefined, usedAt: 0 }
        if (session.owner !== owner) return { _tag: "Foreign" }
        if (session.isClosed) return { _tag: "Closed" }
        Object.assign(session, { epoch: session.epoch + 1, runner, usedAt: now() })
        sessions.set(id, session)
        const { epoch, hasTurns, threadId } = session
        return { _tag: "Claimed", epoch, hasTurns, ...(threadId === undefined ? {} : { threadId }) }
      }),
    begin: ({ epoch, key, session: id }) =>
      Effect.sync(() => {
        const before = turns.get(key)
        if (before !== undefined) return known(before)
        const session = current(id, epoch)
        if (session === undefined) return { _tag: "Stale" }
        Object.assign(session, { usedAt: now(), hasTurns: true })
        insert(key, { session: id, epoch, state: "begun" })
        return { _tag: "Mine" }
      }),
    finish: ({ epoch, key }, answer) =>
      Effect.sync(() => {
        const turn = turns.get(key)
        if (turn === undefined || turn.epoch !== epoch || turn.state === "withdrawn") return
        if (turn.state === "begun") Object.assign(turn, { state: "done", answer, changedAt: now() })
        else if (answer === undefined) turn.answer = undefined
      }),
    withdraw: (session, key) =>
      Effect.sync(() => {
        const before = turns.get(key)
        if (before !== undefined) return known(before)
        insert(key, { session, epoch: 0, state: "withdrawn" })
        return { _tag: "Withdrawn" }
      }),
    named: (id, epoch, threadId) =>
      Effect.sync(() => {
        const session = current(id, epoch)
        if (session !== undefined) session.threadId = threadId
      }),
    close: (id, owner) =>
      Effect.sync(() => {
        const session = sessions.get(id)
        if (session?.owner === owner) session.isClosed = true
      }),
    expire: (expiry) =>
      Effect.sync(() => {
        const isOlder = (at: number, age: Duration.Duration) => now() - at >= Duration.toMillis(age)
        const answers = [...turns.values()].filter(
          ({ answer, changedAt }) => answer !== undefined && isOlder(changedAt, expiry.answers),
        )
        const rows = [...turns].filter(([, { changedAt }]) => isOlder(changedAt, expiry.turns))
        const gone = [...sessions].filter(([, { usedAt }]) => isOlder(usedAt, expiry.sessions))
        const bounded = <A>(all: ReadonlyArray<A>) => all.slice(0, expiry.maxRows)
        for (const turn of bounded(answers)) turn.answer = undefined
        for (const [key] of bounded(rows)) turns.delete(key)
        for (const [id] of bounded(gone)) sessions.delete(id)
        return bounded(answers).length + bounded(rows).length + bounded(gone).length
      }),
    load: Effect.sync(() => {
      const loads = new Map<string, RunnerLoad>()
      for (const [id, { epoch, isClosed, runner }] of sessions) {
        if (isClosed) continue
        const begun = ofSession(id).filter((turn) => turn.state === "begun" && turn.epoch === epoch)
        const before = loads.get(runner) ?? { runner, sessions: 0, turns: 0 }
        const since = [before.oldestTurnAt ?? [], begun.map(({ changedAt }) => changedAt)].flat()
        loads.set(runner, {
          ...{ runner, sessions: before.sessions + 1, turns: before.turns + begun.length },
          ...(since.length === 0 ? {} : { oldestTurnAt: Math.min(...since) }),
        })
      }
      return [...loads.values()]
    }),
  }
})

/** Layer of `make`. */
export const layer: Layer.Layer<Ledger> = Layer.effect(Ledger, make)
