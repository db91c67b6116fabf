import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryLedger from "../src/MemoryLedger.ts"
import { suite } from "../testing/LedgerSuite.ts"

suite(
  test,
  "the ledger in memory",
  Effect.map(MemoryLedger.make, (ledger) => ({ ledger, age: TestClock.adjust })),
)
