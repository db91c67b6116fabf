/** What a server does to sessions that are not its own, and to the program that they are in: nothing. */
import { assert, describe, it } from "@effect/vitest"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as HttpServer from "./HttpServer.ts"
import { client, config } from "./Server.ts"

/** In milliseconds: what a busy machine may add. Without a fault a call takes less than one. */
const safetyLimit = 3_000

/** Asks again and again until the fiber has ended, and at least so often. Every answer is right, and none is late. */
const asksOn = (adapter: McpClientAdapter, id: McpSessionId, text: string, meanwhile: Fiber.Fiber<unknown, unknown>) =>
  Effect.gen(function* () {
    for (let turn = 0; turn < 50 || meanwhile.pollUnsafe() === undefined; turn++) {
      const [took, { content }] = yield* Effect.timed(adapter.execute(id, { content: `echo {"text":"${text}"}` }))
      assert.strictEqual(content, text)
      assert.isBelow(Duration.toMillis(took), safetyLimit)
    }
  })

describe("a session's fault changes neither outcome nor latency of another (promise 16)", () => {
  it.live.each([
    { what: "dies", prompt: "die" },
    { what: "closes its output", prompt: "close-stdout" },
    { what: "tells 50,000 events", prompt: 'events {"count":50000}' },
    { what: "answers with 16 MiB", prompt: `large {"size":${8 * 1024 * 1024}}` },
    { what: "asks and asks, and does not read", prompt: "flood-and-do-not-read" },
    { what: "says nothing more", prompt: "hang" },
  ])("over stdio, of a server that $what", ({ prompt }) =>
    Effect.gen(function* () {
      const adapter = yield* client
      const id = yield* adapter.openSession(config())
      const faulty = yield* adapter.openSession(config(["ignore-eof"], { closeGrace: "300 millis" }))
      const request = { content: prompt, deadline: Duration.seconds(1) }
      const fault = yield* Effect.forkChild(Effect.exit(adapter.execute(faulty, request)), { startImmediately: true })
      yield* asksOn(adapter, id, "mine", fault)
      const closing = yield* Effect.forkChild(adapter.closeSession(faulty), { startImmediately: true })
      yield* asksOn(adapter, id, "mine still", closing)
    }),
  )

  it.live("over HTTP, of a session to the same server that hangs, that breaks off, and that is forgotten", () =>
    Effect.gen(function* () {
      const prompts: Readonly<Record<string, (response: Parameters<HttpServer.Answer>[1]) => unknown>> = {
        hang: () => {},
        break: (response) => response.destroy(),
        forget: (response) => response.writeHead(404).end(),
      }
      const server = yield* HttpServer.start(({ body }, response) => {
        const act = body.method === "tools/call" ? prompts[String(body.params?.["name"])] : undefined
        act?.(response)
        return act === undefined ? undefined : true
      })
      const adapter = yield* client
      const given = McpConnectionConfig.streamableHttp({ url: server.url, closeGrace: "300 millis" })
      const id = yield* adapter.openSession(given)
      for (const name of Object.keys(prompts)) {
        const faulty = yield* adapter.openSession(given)
        const request = { content: name, deadline: Duration.seconds(1) }
        const fault = yield* Effect.forkChild(Effect.exit(adapter.execute(faulty, request)), { startImmediately: true })
        for (let turn = 0; turn < 50 || fault.pollUnsafe() === undefined; turn++) {
          const [took, { content }] = yield* Effect.timed(adapter.execute(id, { content: "echo" }))
          assert.strictEqual(content, "well")
          assert.isBelow(Duration.toMillis(took), safetyLimit)
        }
        yield* adapter.closeSession(faulty)
      }
    }),
  )
})

/** Watches a timer. What it returns ends the watch, and says how long the timer was kept waiting, in milliseconds. */
const watch = (): (() => number) => {
  let last = performance.now()
  let longest = 0
  const look = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 5)
  return () => {
    clearInterval(timer)
    look()
    return longest
  }
}

describe("no message stalls the program (promise 15)", () => {
  it.live.each([
    { what: "50,000 events", prompt: 'events {"count":50000}' },
    { what: "an answer of 16 MiB", prompt: `large {"size":${8 * 1024 * 1024}}` },
  ])("$what: timers go on", ({ prompt }) =>
    Effect.gen(function* () {
      const adapter = yield* client
      const id = yield* adapter.openSession(config())
      yield* adapter.execute(id, { content: "echo" })
      const stop = watch()
      yield* adapter.execute(id, { content: prompt })
      // The promise is 200 ms. A machine that runs other tests at the same time gets more.
      assert.isBelow(stop(), 1_000)
    }),
  )
})
