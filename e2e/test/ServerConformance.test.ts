import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ServerConformance from "../src/ServerConformance.ts"

const scenarios = Object.keys(ServerConformance.scenarios) as ReadonlyArray<ServerConformance.Scenario>

/** A server that answers everything with nothing. */
const empty = Effect.map(
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((_, response) => response.end("{}"))
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.promise(() => {
        server.closeAllConnections()
        return new Promise((resolve) => server.close(resolve))
      }),
  ),
  (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
)

describe("the official conformance runner, against the agent server", () => {
  it.live.each(ServerConformance.commands)("passes every check of every scenario that applies: %s", (command) =>
    Effect.gen(function* () {
      const url = yield* ServerConformance.serve(command)
      for (const scenario of scenarios) {
        const verdict = yield* Effect.promise(() => ServerConformance.check(scenario, url))
        assert.strictEqual(verdict.passed, verdict.checks, verdict.printed)
        assert.isTrue(verdict.ok, verdict.printed)
      }
    }),
  )

  it.live("knows of every scenario there is whether it applies", () =>
    Effect.gen(function* () {
      const listed = yield* Effect.promise(ServerConformance.listed)
      const named = [...scenarios, ...Object.keys(ServerConformance.others)]
      assert.deepStrictEqual([...listed].sort(), named.sort())
    }),
  )

  it.live.each(scenarios)("is not content with a server that says nothing: %s", (scenario) =>
    Effect.gen(function* () {
      const url = yield* empty
      assert.isFalse((yield* Effect.promise(() => ServerConformance.check(scenario, url))).ok)
    }),
  )
})
