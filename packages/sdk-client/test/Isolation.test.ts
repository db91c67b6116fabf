/** What a server does to sessions that are not its own, and to the program that they are in: nothing. */
import { assert, describe, it } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as HttpServer from "./HttpServer.ts"
import { client, config } from "./Server.ts"

/** Asks often, and until the fiber has ended unless it never does. Every answer is right. */
const asksOn = (
  ask: Effect.Effect<string, unknown>,
  due: string,
  meanwhile: Fiber.Fiber<unknown, unknown>,
  endless = false,
) =>
  Effect.gen(function* () {
    for (let turn = 0; turn < 50 || !(endless || meanwhile.pollUnsafe() !== undefined); turn++) {
      assert.strictEqual(yield* ask, due)
    }
    if (endless) assert.isUndefined(meanwhile.pollUnsafe(), "The other call is under way, and none waited for it.")
  })

describe("a session's fault changes neither outcome nor latency of another (promise 16)", () => {
  it.live.each([
    { what: "dies", prompt: "die" },
    { what: "closes its output", prompt: "close-stdout" },
    { what: "tells 50,000 events", prompt: 'events {"count":50000}' },
    { what: "answers with 16 MiB", prompt: `large {"size":${8 * 1024 * 1024}}` },
    { what: "asks and asks, and does not read", prompt: "flood-and-do-not-read", deadline: Duration.seconds(1) },
    { what: "says nothing more", prompt: "hang", endless: true },
  ])("over stdio, of a server that $what", ({ deadline, endless, prompt }) =>
    Effect.gen(function* () {
      const adapter = yield* client
      const id = yield* adapter.openSession(config())
      const faulty = yield* adapter.openSession(config(["ignore-eof"], { closeGrace: "300 millis" }))
      const ask = Effect.map(adapter.execute(id, { content: 'echo {"text":"mine"}' }), ({ content }) => content)
      const request = deadline === undefined ? { content: prompt } : { content: prompt, deadline }
      const call = Effect.exit(adapter.execute(faulty, request))
      yield* asksOn(ask, "mine", yield* Effect.forkChild(call, { startImmediately: true }), endless)
      const closing = yield* Effect.forkChild(adapter.closeSession(faulty), { startImmediately: true })
      yield* asksOn(ask, "mine", closing)
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
        const call = Effect.exit(adapter.execute(faulty, { content: name }))
        const fault = yield* Effect.forkChild(call, { startImmediately: true })
        const ask = Effect.map(adapter.execute(id, { content: "echo" }), ({ content }) => content)
        yield* asksOn(ask, "well", fault, name === "hang")
        yield* adapter.closeSession(faulty)
      }
    }),
  )
})

/**
 * Watches a timer. What it returns ends the watch, and says for how long this program kept the timer waiting, in
 * milliseconds. It is the processor's time that counts: what a busy machine adds is not this program's.
 */
const watch = (): (() => number) => {
  let last = process.cpuUsage()
  let longest = 0
  const look = () => {
    const { system, user } = process.cpuUsage(last)
    longest = Math.max(longest, (system + user) / 1_000)
    last = process.cpuUsage()
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
      // The promise is 200 ms. A processor that is shared with other tests is slower.
      assert.isBelow(stop(), 1_000)
    }),
  )
})
