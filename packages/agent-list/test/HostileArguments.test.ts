/** Texts of a size that a message can have, in every text argument of the tools of both agents. */
import { assert } from "@effect/vitest"
import { fakeClaudeCode } from "@zain/claude-code-client/fake"
import { fakeCodex } from "@zain/codex-client/fake"
import * as FakeAgent from "@zain/contract-tests/FakeAgent"
import { test } from "@zain/testkit/Test"
import * as Hostile from "../../tool-server/testing/Hostile.ts"
import * as Rooted from "./roots/Rooted.ts"

test.live.each([
  ["codex", fakeCodex],
  ["claude-code", fakeClaudeCode],
] as const)(
  "each text argument of each tool of %s takes the main thread under 200 ms of CPU, and in proportion to its length (promise 24)",
  function* ([name, fake]) {
    const place = yield* Rooted.place(name, (home: string) => FakeAgent.install(fake, home))
    const server = yield* Rooted.server(place, [])
    // Options are read and checked in the same way without a turn, which would start a process each.
    const cases = yield* Hostile.served(server, (path) => (path === "prompt" ? {} : { "zain/open": true }))
    assert.isAbove(cases.length, 10)
    assert.deepStrictEqual(yield* Hostile.faults(cases, [" ", "\n", "e\u0301"]), [])
  },
)
