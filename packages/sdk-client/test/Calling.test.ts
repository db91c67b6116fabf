import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber, Stream } from "effect"
import { inWords } from "../testing/AgentWire.ts"
import { session } from "../testing/Server.ts"

describe("execute over stdio", () => {
  test.live(
    "cancels the call at the server after a message past maxMessageBytes, since the server may still be working (rule 5)",
    function* () {
      const { ask } = yield* session([], { maxMessageBytes: 10_000 })
      const tooLarge = yield* Effect.flip(ask('large {"size":10000}'))
      assert.strictEqual(inWords(tooLarge), "ConnectionUnavailable message-too-large unknown")
      yield* ask("echo")
      const error = yield* Effect.flip(ask("die"))
      assert.match(error.diagnostics?.stderrTail ?? "", /cancelled [0-9a-f]{32}-1\n/)
    },
  )

  test.live(
    "cancels the call at the server first when the session is closed in the middle of it (rule 5)",
    function* () {
      const cancels = join(yield* directory, "cancels")
      const { adapter, ask, id } = yield* session([`cancels=${cancels}`])
      const started = yield* Effect.forkChild(
        Stream.runHead(Stream.filter(adapter.events(id), (event) => event._tag === "TurnStarted")),
        { startImmediately: true },
      )
      const hanging = yield* Effect.forkChild(ask("hang"))
      yield* Fiber.join(started)
      yield* adapter.closeSession(id)
      assert.strictEqual(inWords(yield* Effect.flip(Fiber.join(hanging))), "SessionClosed closed unknown")
      assert.match(readFileSync(cancels, "utf8"), /^[0-9a-f]{32}-1\n$/)
    },
  )

  test.live(
    "fails with connection-lost before a server that sends requests without reading fills the memory (promise 14)",
    function* () {
      const { ask } = yield* session([], { maxMessageBytes: 100_000 })
      const error = yield* Effect.flip(ask("flood-and-do-not-read"))
      assert.strictEqual(inWords(error), "ConnectionUnavailable connection-lost unknown")
      assert.include(error.message, "stopped reading its standard input")
    },
  )
})
