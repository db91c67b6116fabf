/** What every ledger does, as tables of operations and their outcomes. */
import type { test } from "@zain/testkit/Test"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { describe, expect } from "vitest"
import type { Expiry, Ledger } from "../src/Ledger.ts"

/** A ledger to test. */
export interface Subject {
  /** The empty ledger. */
  readonly ledger: Ledger
  /** Makes everything in the ledger older. */
  readonly age: (time: Duration.Duration) => Effect.Effect<void, unknown>
}

type Test = Pick<typeof test, "each"> & ((...args: Parameters<typeof test>) => void)
type Operation = (subject: Subject) => Effect.Effect<unknown, unknown>
type Step = readonly [operation: Operation, outcome?: unknown]

const on =
  <Args extends ReadonlyArray<unknown>>(run: (ledger: Ledger, ...args: Args) => Effect.Effect<unknown, unknown>) =>
  (...args: Args): Operation =>
  ({ ledger }) =>
    run(ledger, ...args)

const claimOf = (ledger: Ledger, runner = "r1", owner = "ann", session = "s") =>
  ledger.claim({ session, owner, agent: "codex", runner })
const claim = on((ledger, owner?: string, runner?: string, session?: string) => claimOf(ledger, runner, owner, session))
const turn = (epoch: number, key: string, session = "s") => ({ session, epoch, key })
const begin = on((ledger, epoch: number, key: string) => ledger.begin(turn(epoch, key)))
const finish = on((ledger, epoch: number, key: string, answer?: string) => ledger.finish(turn(epoch, key), answer))
const withdraw = on((ledger, key: string, session: string = "s") => ledger.withdraw(session, key))
const named = on((ledger, epoch: number, threadId: string) => ledger.named("s", epoch, threadId))
const close = on((ledger, owner: string = "ann") => ledger.close("s", owner))
const load = on(({ load }) => load)
const age =
  (minutes: number): Operation =>
  (subject) =>
    subject.age(Duration.minutes(minutes))
const expiry: Expiry = {
  answers: Duration.minutes(10),
  turns: Duration.hours(1),
  sessions: Duration.hours(2),
  maxRows: 2,
}
const expire = on((ledger) => ledger.expire(expiry))

const is = (_tag: string, more: object = {}) => ({ _tag, ...more })
const [mine, stale, withdrawn] = [is("Mine"), is("Stale"), is("Withdrawn")]
const claimed = (epoch: number, hasTurns = false, more: object = {}) => is("Claimed", { epoch, hasTurns, ...more })
const done = (answer: string) => is("Done", { answer })
const verdict = is("Done")
const begun = (isCurrent: boolean) => is("Begun", { isCurrent })

const hostile = `'; DROP TABLE zain_turns; -- $1 \\ "\u2028 \u{1F980} %s`

const cases: Readonly<Record<string, ReadonlyArray<Step>>> = {
  "a claim inserts the session with epoch 1, and each later claim of its owner raises the epoch": [
    [claim(), claimed(1)],
    [claim(), claimed(2)],
    [claim("ann", "r2"), claimed(3)],
  ],
  "a foreign owner can neither claim nor close a session": [
    [claim(), claimed(1)],
    [claim("bob"), is("Foreign")],
    [close("bob")],
    [begin(1, "k"), mine],
    [claim(), claimed(2, true)],
  ],
  "a closed session is not claimed, no turn of it begins, and its answers stay": [
    [claim()],
    [begin(1, "k")],
    [finish(1, "k", "yes")],
    [close()],
    [claim(), is("Closed")],
    [claim("bob"), is("Foreign")],
    [begin(1, "l"), stale],
    [begin(1, "k"), is("Done", { answer: "yes" })],
    [close()],
  ],
  "a key begins once": [
    [claim()],
    [begin(1, "k"), mine],
    [begin(1, "k"), begun(true)],
    [claim(), claimed(2, true)],
    [begin(2, "k"), begun(false)],
    [withdraw("k"), begun(false)],
  ],
  "an old epoch and an unknown session begin nothing, but a known key is judged first": [
    [begin(1, "j"), stale],
    [claim()],
    [begin(1, "k"), mine],
    [finish(1, "k", "yes")],
    [claim()],
    [begin(1, "l"), stale],
    [begin(3, "l"), stale],
    [begin(1, "k"), done("yes")],
    [begin(2, "l"), mine],
  ],
  "a withdrawn key never begins, and a key that has begun is not withdrawn": [
    [withdraw("before", "unknown"), withdrawn],
    [claim(), claimed(1)],
    [begin(1, "before"), withdrawn],
    [finish(0, "before", "no")],
    [withdraw("before"), withdrawn],
    [claim(), claimed(2)],
    [begin(2, "k"), mine],
    [withdraw("k"), begun(true)],
    [finish(2, "k", "yes")],
    [withdraw("k"), done("yes")],
    [claim(), claimed(3, true)],
  ],
  "the first answer under the turn's own epoch stays until it is acknowledged": [
    [claim()],
    [begin(1, "k")],
    [finish(2, "k", "foreign")],
    [begin(1, "k"), begun(true)],
    [finish(1, "k", "first")],
    [finish(1, "k", "second")],
    [finish(2, "k")],
    [begin(1, "k"), done("first")],
    [finish(1, "k")],
    [begin(1, "k"), verdict],
    [finish(1, "k", "third")],
    [begin(1, "k"), verdict],
    [begin(1, "l")],
    [finish(1, "l")],
    [begin(1, "l"), verdict],
    [finish(1, "unknown", "none")],
    [withdraw("unknown"), withdrawn],
  ],
  "the id of the conversation is stored under the current epoch only": [
    [claim()],
    [named(1, "t1")],
    [claim(), claimed(2, false, { threadId: "t1" })],
    [named(1, "late")],
    [claim(), claimed(3, false, { threadId: "t1" })],
    [named(3, "t2")],
    [claim(), claimed(4, false, { threadId: "t2" })],
  ],
  "every string is data": [
    [claim(hostile, hostile), claimed(1)],
    [begin(1, hostile), mine],
    [named(1, hostile)],
    [finish(1, hostile, hostile.repeat(40_000))],
    [begin(1, hostile), done(hostile.repeat(40_000))],
    [claim(hostile, hostile), claimed(2, true, { threadId: hostile })],
  ],
  "answers, turns and sessions expire by their age": [
    [claim()],
    [begin(1, "k")],
    [finish(1, "k", "yes")],
    [age(9)],
    [expire(), 0],
    [begin(1, "k"), done("yes")],
    [age(1)],
    [expire(), 1],
    [begin(1, "k"), verdict],
    [age(51)],
    [expire(), 1],
    [claim(), claimed(2, true)],
    [begin(2, "k"), mine],
    [age(120)],
    [expire(), 2],
    [claim("bob"), claimed(1)],
  ],
  "one call of expire changes a bounded number of rows of each kind": [
    ...["k", "l", "m"].map((key): Step => [withdraw(key)]),
    [age(60)],
    [expire(), 2],
    [expire(), 1],
    [expire(), 0],
  ],
  "the load counts open sessions and begun turns of each runner's last claims": [
    [load(), []],
    [claim("ann", "r1", "s")],
    [claim("ann", "r1", "other")],
    [begin(1, "k")],
    [begin(1, "l")],
    [finish(1, "l", "yes")],
    [load(), [{ runner: "r1", sessions: 2, turns: 1, oldestTurnAt: expect.any(Number) }]],
    [claim("ann", "r2", "other")],
    [claim("ann", "r2")],
    [load(), [{ runner: "r2", sessions: 2, turns: 0 }]],
    [close()],
    [load(), [{ runner: "r2", sessions: 1, turns: 0 }]],
  ],
}

const concurrently = <A>(count: number, run: (index: number) => Effect.Effect<A, unknown>) =>
  Effect.forEach(Array.from({ length: count }).keys(), run, { concurrency: "unbounded" })

const tally = (outcomes: ReadonlyArray<{ readonly _tag: string }>) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(outcomes, ({ _tag }) => _tag)).map(([tag, all]) => [tag, all?.length]),
  )

/**
 * Tests a ledger.
 *
 * @param test with the clock of the ledger
 * @param name the name of the ledger
 * @param make makes an empty one for each test
 */
export const suite = (test: Test, name: string, make: Effect.Effect<Subject, unknown, Scope.Scope>) =>
  describe(name, () => {
    test.each(Object.keys(cases))("%s", function* (title) {
      const subject = yield* make
      for (const [index, [operation, outcome]] of (cases[title] ?? []).entries()) {
        const actual = yield* operation(subject)
        if (outcome !== undefined) expect(actual, `step ${index + 1}`).toEqual(outcome)
      }
    })

    test("of begin and withdraw at the same time, one has the key, and the other is informed of it", function* () {
      const { ledger } = yield* make
      yield* claimOf(ledger)
      const races = yield* concurrently(100, (index) => {
        const both = [ledger.begin(turn(1, `${index}`)), ledger.withdraw("s", `${index}`)]
        return Effect.all(index % 2 === 0 ? both : both.reverse(), { concurrency: 2 })
      })
      const pairs = races.map((pair) => ({
        _tag: pair
          .map(({ _tag }) => _tag)
          .toSorted()
          .join(),
      }))
      const { "Begun,Mine": begins = 0, "Withdrawn,Withdrawn": withdrawals = 0 } = tally(pairs)
      expect(begins + withdrawals).toBe(100)
    })

    test("of concurrent claims each has an epoch of its own, and only the last one begins a turn", function* () {
      const { ledger } = yield* make
      const claims = yield* concurrently(40, (index) => claimOf(ledger, `r${index}`))
      const epochs = claims.flatMap((outcome) => (outcome._tag === "Claimed" ? outcome.epoch : []))
      expect(epochs.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
      const outcomes = yield* concurrently(40, (index) => ledger.begin(turn(index + 1, `k${index}`)))
      expect(tally(outcomes)).toEqual({ Mine: 1, Stale: 39 })
    })

    test("a claim that races the first turn reports it, or the turn does not begin", function* () {
      const { ledger } = yield* make
      const race = Effect.fnUntraced(function* (index: number) {
        const session = `s${index}`
        yield* claimOf(ledger, "r1", "ann", session)
        const both = [ledger.begin(turn(1, session, session)), claimOf(ledger, "r2", "ann", session)] as const
        const [first, second] = yield* Effect.all(both, { concurrency: 2 })
        return { _tag: `${first._tag} ${second._tag === "Claimed" && second.hasTurns}` }
      })
      const { "Mine true": begins = 0, "Stale false": refusals = 0 } = tally(yield* concurrently(200, race))
      expect(begins + refusals).toBe(200)
    })
  })
