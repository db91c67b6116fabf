import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { serving } from "../../packages/cli/testing/doctor/Serving.ts"
import * as ServerConformance from "../src/ServerConformance.ts"

const scenarios = Object.keys(ServerConformance.scenarios) as ReadonlyArray<ServerConformance.Scenario>

/** A server that answers everything with nothing. */
const empty = Effect.map(
  serving((_, response) => void response.end("{}")),
  ({ origin }) => `${origin}/mcp`,
)

describe("the official conformance runner with the agent server", () => {
  test.live("passes every check of every scenario that applies", function* () {
    // No scenario asks for an agent.
    const url = yield* ServerConformance.serve(ServerConformance.commands[0])
    for (const scenario of scenarios) {
      const verdict = yield* Effect.promise(() => ServerConformance.check(scenario, url))
      assert.strictEqual(verdict.passed, verdict.checks, verdict.printed)
      assert.isTrue(verdict.ok, verdict.printed)
    }
  })

  test.live("has no scenario that is neither run nor excluded with a reason", function* () {
    const listed = yield* Effect.promise(ServerConformance.listed)
    const named = [...scenarios, ...Object.keys(ServerConformance.others)]
    assert.deepStrictEqual([...listed].sort(), named.sort())
  })

  test.live.each(scenarios)("fails a server that never answers: %s", function* (scenario) {
    const url = yield* empty
    assert.isFalse((yield* Effect.promise(() => ServerConformance.check(scenario, url))).ok)
  })
})
