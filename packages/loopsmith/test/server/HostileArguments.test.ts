/** Texts of a size that a message can have, in every text argument of the tools. */
import { assert } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Hostile from "../../../tool-server/testing/Hostile.ts"
import * as MockEvaluator from "../../src/MockEvaluator.ts"
import * as LoopSmithServer from "../../src/server/LoopSmithServer.ts"

test.live(
  "each text argument of each tool of LoopSmith takes the main thread under 200 ms of CPU, and in proportion to its length (promise 24)",
  function* () {
    const cases = yield* Hostile.served(LoopSmithServer.make({ evaluator: MockEvaluator.make(), version: "0" }))
    assert.isAbove(cases.length, 1)
    assert.deepStrictEqual(yield* Hostile.faults(cases), [])
  },
)
