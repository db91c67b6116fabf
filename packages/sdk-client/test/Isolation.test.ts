/** What a server does to the program that its session is in: nothing. */
import { assert, describe } from "@effect/vitest"
import { test } from "../../core/test/Test.ts"
import { client, config } from "./Server.ts"

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
  test.live.each([
    { what: "50,000 events", prompt: 'events {"count":50000}' },
    { what: "an answer of 16 MiB", prompt: `large {"size":${8 * 1024 * 1024}}` },
  ])("$what: timers go on", function* ({ prompt }) {
    const adapter = yield* client
    const id = yield* adapter.openSession(config())
    yield* adapter.execute(id, { content: "echo" })
    const stop = watch()
    yield* adapter.execute(id, { content: prompt })
    // The promise is 200 ms. A processor that is shared with other tests is slower.
    assert.isBelow(stop(), 1_000)
  })
})
