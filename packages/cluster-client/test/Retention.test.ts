import { test } from "@zain/testkit/Test"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { expect } from "vitest"
import { Ledger, LedgerError } from "../src/Ledger.ts"
import * as MemoryLedger from "../src/MemoryLedger.ts"
import * as Retention from "../src/Retention.ts"

const key = { session: "s", epoch: 1, key: "k" }

test("answers are removed ten minutes after their turn, also after a failure of the database, and the verdict stays", function* () {
  const ledger = yield* MemoryLedger.make
  const failed = yield* Deferred.make<void>()
  const expire: Ledger["expire"] = (expiry) =>
    Effect.flatMap(Deferred.isDone(failed), (hasFailed) =>
      hasFailed
        ? ledger.expire(expiry)
        : Effect.andThen(
            Deferred.succeed(failed, undefined),
            Effect.fail(new LedgerError({ reason: "unavailable", message: "away" })),
          ),
    )
  yield* Layer.build(Layer.provide(Retention.layer(), Layer.succeed(Ledger, { ...ledger, expire })))
  yield* ledger.claim({ session: "s", owner: "ann", agent: "codex", runner: "r" })
  yield* ledger.begin(key)
  yield* ledger.finish(key, "yes")
  yield* TestClock.adjust("9 minutes")
  expect(yield* Deferred.isDone(failed)).toBe(true)
  expect(yield* ledger.begin(key)).toEqual({ _tag: "Done", answer: "yes" })
  yield* TestClock.adjust("3 minutes")
  expect(yield* ledger.begin(key)).toEqual({ _tag: "Done" })
})
