import { assert, describe, it } from "@effect/vitest"
import * as Conformance from "../src/Conformance.ts"

const scenarios = Object.keys(Conformance.scenarios) as ReadonlyArray<Conformance.Scenario>

describe("the official conformance runner", () => {
  // The runner takes a reconnection that is 200 ms late for a flaw, and a busy machine can be that late.
  it.each(scenarios)("passes every check of %s", { retry: 2 }, async (scenario) => {
    const { checks, ok, passed, printed } = await Conformance.check(scenario)
    assert.strictEqual(passed, checks, printed)
    assert.isTrue(ok, printed)
  })

  it.each(scenarios)("is not content with a client that does nothing but exit 1: %s", async (scenario) => {
    const { ok, passed } = await Conformance.check(scenario, "false")
    assert.isFalse(ok)
    assert.strictEqual(passed, 0)
  })

  it.each(scenarios)("is not content with a client that does nothing and exits 0: %s", async (scenario) => {
    const { ok } = await Conformance.check(scenario, "true")
    assert.isFalse(ok)
  })
})
