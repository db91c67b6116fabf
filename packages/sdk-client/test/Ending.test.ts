import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as McpPromiseClient from "@zain/core/McpPromiseClient"
import { directory } from "@zain/testkit/Directory"
import { within } from "@zain/testkit/Running"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { client, config, processesWith, session } from "../testing/Server.ts"
import { until } from "./Until.ts"

describe("closeSession over stdio (rule-3.released; promises 9 and 11)", () => {
  test.live.each([
    { what: "a polite server", faults: [] },
    { what: "a server with a grandchild that ignores SIGTERM", faults: ["grandchild"] },
    { what: "a server whose grandchild left the process group", faults: ["runaway"] },
    { what: "a server that ignores end of input and SIGTERM", faults: ["grandchild", "ignore-eof", "ignore-sigterm"] },
  ])("ends every process of $what within closeGrace and one second", function* ({ faults }) {
    const { adapter, ask, id } = yield* session(faults, { closeGrace: "600 millis" })
    const { content } = yield* ask("environment")
    const mark: string = JSON.parse(content).ZAIN_OWNER
    yield* within(600 + 1_000 + 500, adapter.closeSession(id))
    assert.deepStrictEqual(processesWith(mark), [])
  })

  test.live(
    "ends every process of a server whose grandchild left the process group and started another without environment",
    function* () {
      const seconds = 1_000_000 + process.pid
      const runs = () => processesWith(`sleep\0${seconds}\0`)
      const { adapter, id } = yield* session([`bare=${seconds}`], { closeGrace: "600 millis" })
      yield* Effect.promise(() => until(() => runs().length, 1))
      yield* adapter.closeSession(id)
      assert.deepStrictEqual(runs(), [])
    },
  )
})

describe("closing a client's Scope over stdio (rule-8.disposal)", () => {
  test.live("ends the server gracefully when the caller's own program fails", function* () {
    const ends = join(yield* directory, "ends")
    const failing = Effect.andThen(session([`ends=${ends}`]), Effect.fail("the user's own"))
    assert.strictEqual(yield* Effect.flip(Effect.scoped(failing)), "the user's own")
    assert.strictEqual(readFileSync(ends, "utf8"), "end of input\n")
  })

  it("during openSession waits until the started process has ended", async () => {
    for (const delay of [0, 1, 3, 6, 11]) {
      const adapter = await McpPromiseClient.make(client)
      const mark = `waits-${process.pid}-${delay}`
      const opening = adapter.openSession(config(["silent"], { env: { ZAIN_TEST_MARK: mark } }))
      await new Promise((resume) => setTimeout(resume, delay))
      await adapter.close()
      assert.deepStrictEqual(processesWith(mark), [])
      assert.strictEqual((await opening)._tag, "Failure")
    }
  })
})
