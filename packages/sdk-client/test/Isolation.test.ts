/** A server's messages must not block the host's event loop. */
import { assert, describe } from "@effect/vitest"
import { test } from "../../core/test/Test.ts"
import { client, config } from "./Server.ts"

/**
 * Measures the delay of a timer. The returned function ends the measurement and returns the longest delay in
 * milliseconds of this process's CPU time, so that a busy machine does not count.
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

describe("no message blocks the event loop (promise 15)", () => {
  test.live.each([
    { what: "50,000 events", prompt: 'events {"count":50000}' },
    { what: "an answer of 16 MiB", prompt: `large {"size":${8 * 1024 * 1024}}` },
  ])("$what: timers continue to fire", function* ({ prompt }) {
    const adapter = yield* client
    const id = yield* adapter.openSession(config())
    yield* adapter.execute(id, { content: "echo" })
    const stop = watch()
    yield* adapter.execute(id, { content: prompt })
    // The promise is 200 ms; the limit here allows for a CPU shared with other tests.
    assert.isBelow(stop(), 1_000)
  })
})
