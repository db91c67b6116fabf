import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import type { McpError } from "@zain/core/McpError"
import type { McpEvent } from "@zain/core/McpEvents"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { session } from "./Server.ts"

const reasonOf = (error: McpError) => `${error._tag} ${error.reason} ${error.delivery}`

describe("execute over stdio", () => {
  it.live(
    "a server that dies mid-call is server-exited with its code and last words, even while a grandchild holds its output",
    () =>
      Effect.gen(function* () {
        const { adapter, ask, id } = yield* session(["grandchild"])
        const error = yield* Effect.flip(ask("die"))
        assert.strictEqual(reasonOf(error), "ConnectionUnavailable server-exited unknown")
        assert.strictEqual(error.diagnostics?.exitCode, 42)
        assert.match(error.message, /fatal: boom/)
        const later = yield* Effect.flip(ask("echo"))
        assert.strictEqual(reasonOf(later), "ConnectionUnavailable server-exited not-sent")
        yield* adapter.closeSession(id)
      }),
  )

  it.live("output that ends while the process lives is connection-lost", () =>
    Effect.gen(function* () {
      const { ask } = yield* session()
      assert.strictEqual(
        reasonOf(yield* Effect.flip(ask("close-stdout"))),
        "ConnectionUnavailable connection-lost unknown",
      )
    }),
  )

  it.live("a message past maxMessageBytes fails its call alone", () =>
    Effect.gen(function* () {
      const { ask } = yield* session([], { maxMessageBytes: 10_000 })
      assert.strictEqual(
        reasonOf(yield* Effect.flip(ask('large {"size":10000}'))),
        "ConnectionUnavailable message-too-large unknown",
      )
    }),
  )

  it.live("a 32 MiB result arrives whole", () =>
    Effect.gen(function* () {
      const { ask } = yield* session()
      const size = 16 * 1024 * 1024
      const { content } = yield* ask(`large {"size":${size}}`)
      assert.strictEqual(content.length, size)
      assert.isTrue(content.startsWith("éé") && content.endsWith("é"))
    }),
  )

  it.live("a message past maxMessageBytes is told to the server, which may still be at work (rule 5)", () =>
    Effect.gen(function* () {
      const { ask } = yield* session([], { maxMessageBytes: 10_000 })
      yield* Effect.flip(ask('large {"size":10000}'))
      yield* ask("echo")
      const error = yield* Effect.flip(ask("die"))
      assert.match(error.diagnostics?.stderrTail ?? "", /cancelled [0-9a-f]{32}-1\n/)
    }),
  )

  it.live("an error that is none of JSON-RPC's does no harm (promise 7)", () =>
    Effect.gen(function* () {
      const { ask } = yield* session()
      assert.strictEqual(reasonOf(yield* Effect.flip(ask("odd-error"))), "ConnectionUnavailable server-error unknown")
      assert.strictEqual((yield* ask('echo {"text":"still here"}')).content, "still here")
    }),
  )

  it.live("a server that closes its input while it lives is connection-lost, and later calls are not sent", () =>
    Effect.gen(function* () {
      const { ask } = yield* session()
      assert.strictEqual((yield* ask("deaf")).content, "I stop listening.")
      assert.strictEqual(reasonOf(yield* Effect.flip(ask("echo"))), "ConnectionUnavailable connection-lost unknown")
      assert.strictEqual(reasonOf(yield* Effect.flip(ask("echo"))), "ConnectionUnavailable connection-lost not-sent")
    }),
  )

  it.live("closing in the middle of a call tells the server first (rule 5)", () =>
    Effect.gen(function* () {
      const directory = mkdtempSync(join(tmpdir(), "zain-test-"))
      const cancels = join(directory, "cancels")
      const { adapter, ask, id } = yield* session([`cancels=${cancels}`])
      const started = yield* Effect.forkChild(
        Stream.runHead(Stream.filter(adapter.events(id), (event) => event._tag === "TurnStarted")),
        { startImmediately: true },
      )
      const hanging = yield* Effect.forkChild(ask("hang"))
      yield* Fiber.join(started)
      yield* adapter.closeSession(id)
      assert.strictEqual(reasonOf(yield* Effect.flip(Fiber.join(hanging))), "SessionClosed closed unknown")
      assert.match(readFileSync(cancels, "utf8"), /^[0-9a-f]{32}-1\n$/)
      rmSync(directory, { recursive: true })
    }),
  )

  it.live(
    "a server that asks and asks, and does not read, is connection-lost before it fills the memory (promise 14)",
    () =>
      Effect.gen(function* () {
        const { ask } = yield* session([], { maxMessageBytes: 100_000 })
        const error = yield* Effect.flip(ask("flood-and-do-not-read"))
        assert.strictEqual(reasonOf(error), "ConnectionUnavailable connection-lost unknown")
        assert.include(error.message, "does not read its input")
      }),
  )

  it.live("JSON-RPC's refusals are rejected-by-server, a result that is none is protocol-violation", () =>
    Effect.gen(function* () {
      const { ask } = yield* session()
      assert.strictEqual(reasonOf(yield* Effect.flip(ask("unknown"))), "InvalidRequest rejected-by-server unknown")
      assert.strictEqual(reasonOf(yield* Effect.flip(ask("odd"))), "ConnectionUnavailable protocol-violation unknown")
      assert.strictEqual((yield* ask('echo {"text":"still here"}')).content, "still here")
    }),
  )

  it.live("a secret that the server says in an error does not show in ours (promise 19)", () =>
    Effect.gen(function* () {
      const { ask } = yield* session([], { env: { API_KEY: "sk-secret-value" } })
      const error = yield* Effect.flip(ask("leak"))
      assert.strictEqual(reasonOf(error), "ConnectionUnavailable server-error unknown")
      assert.include(error.message, "the key is <redacted>")
      assert.notInclude(inspect(error, { depth: 9, showHidden: true }), "sk-secret")
    }),
  )

  it.live("garbage between messages and a flood on standard error change nothing", () =>
    Effect.gen(function* () {
      const { ask } = yield* session(["stderr=4000000", "garbage"])
      assert.strictEqual((yield* ask('echo {"text":"fine"}')).content, "fine")
    }),
  )

  it.live("the server's environment is the allow-list and what the caller named", () =>
    Effect.gen(function* () {
      const { ask } = yield* session([], { env: { NAMED: "by the caller" } })
      const seen: Record<string, string> = JSON.parse((yield* ask("environment")).content)
      assert.strictEqual(seen["NAMED"], "by the caller")
      assert.strictEqual(seen["PATH"], process.env["PATH"])
      assert.isUndefined(seen["VITEST"])
    }),
  )

  it.live("a cancelled call is told to the server, and the next one is answered", () =>
    Effect.gen(function* () {
      const { adapter, ask, id } = yield* session()
      const events = yield* Effect.forkChild(
        Stream.runHead(Stream.filter(adapter.events(id), (event) => event._tag === "TurnStarted")),
        { startImmediately: true },
      )
      const hanging = yield* Effect.forkChild(ask("hang"))
      yield* Fiber.join(events)
      yield* Fiber.interrupt(hanging)
      yield* ask("echo")
      const error = yield* Effect.flip(ask("die"))
      assert.match(error.diagnostics?.stderrTail ?? "", /cancelled [0-9a-f]{32}-1\n/)
    }),
  )

  const collect = (count: number, read: (event: McpEvent) => Effect.Effect<unknown>) =>
    Effect.gen(function* () {
      const { adapter, ask, id } = yield* session()
      const seen: Array<McpEvent> = []
      const reader = yield* Effect.forkChild(
        Stream.runForEach(adapter.events(id), (event) =>
          Effect.andThen(
            read(event),
            Effect.sync(() => seen.push(event)),
          ),
        ),
        { startImmediately: true },
      )
      yield* ask(`events {"count":${count}}`)
      return { seen, end: Effect.andThen(adapter.closeSession(id), Fiber.join(reader)) }
    })

  it.live("10,000 events are all delivered, in order, before the end of their turn", () =>
    Effect.gen(function* () {
      const { end, seen } = yield* collect(10_000, () => Effect.void)
      yield* end
      const order = seen.flatMap((event) => (event._tag === "TextDelta" ? [Number(event.text)] : []))
      assert.deepStrictEqual(
        order,
        Array.from({ length: 10_000 }, (_, index) => index),
      )
      assert.deepStrictEqual([seen[0]?._tag, seen.at(-1)?._tag], ["TurnStarted", "TurnCompleted"])
    }),
  )

  it.live("a reader that does not keep up is told how many events it missed", () =>
    Effect.gen(function* () {
      const awake = yield* Deferred.make<void>()
      const { end, seen } = yield* collect(40_000, () => Deferred.await(awake))
      yield* Deferred.succeed(awake, undefined)
      yield* end
      const missed = seen.reduce((sum, event) => sum + (event._tag === "Dropped" ? event.count : 0), 0)
      const told = seen.filter((event) => event._tag !== "Dropped").length
      assert.isAbove(missed, 0)
      assert.strictEqual(told + missed, 40_002)
    }),
  )
})
