import { type OutgoingHttpHeaders, request } from "node:http"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as LoopSmithPlace from "../src/LoopSmithPlace.ts"

const mock = ["--judge", "mock"]

/** The status of a request with these headers, or that nothing listens there. */
const statusOf = (url: URL, headers: OutgoingHttpHeaders): Promise<number | string> =>
  new Promise((resolve) => {
    const asking = request(url, { headers })
    asking.on("response", (answer) => resolve(answer.resume().statusCode ?? 0))
    asking.on("upgrade", (_, socket) => {
      socket.destroy()
      resolve(101)
    })
    asking.on("error", (error) => resolve("code" in error ? String(error.code) : error.message))
    asking.end()
  })

const opening = {
  ...{ connection: "Upgrade", upgrade: "websocket" },
  ...{ "sec-websocket-version": "13", "sec-websocket-key": Buffer.alloc(16).toString("base64") },
}

describe.each([
  { door: "ws", headers: opening, welcome: 101 },
  // A stream of a session that it does not name.
  { door: "http", headers: {}, welcome: 400 },
] as const)("`loopsmith serve $door`", ({ door, headers, welcome }) => {
  test.live(
    "LoopSmith 2: it listens on 127.0.0.1 only, and rejects a foreign Origin, a foreign Host and another path",
    function* () {
      const place = yield* LoopSmithPlace.make()
      const { url } = yield* place.serve(door, mock)
      const at = (change: Partial<URL>) => Object.assign(new URL(url.replace(/^ws/, "http")), change)
      const answers = (change: Partial<URL>, more: OutgoingHttpHeaders = {}) =>
        Effect.promise(() => statusOf(at(change), { ...headers, ...more }))
      assert.strictEqual(yield* answers({}), welcome)
      assert.strictEqual(yield* answers({}, { origin: "https://foreign.example" }), 403)
      assert.strictEqual(yield* answers({}, { origin: "null" }), 403)
      assert.strictEqual(yield* answers({}, { host: "foreign.example" }), 403)
      assert.strictEqual(yield* answers({ pathname: "/other" }), 404)
      // An address of this machine too.
      assert.strictEqual(yield* answers({ hostname: "127.0.0.2" }), "ECONNREFUSED")
    },
  )
})
