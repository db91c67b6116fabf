/** Deadlines that progress does not extend, and immediate failures. */
import { readFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { McpError } from "@zain/core/McpError"
import { gone } from "@zain/testkit/Alive"
import { directory } from "@zain/testkit/Directory"
import { within } from "@zain/testkit/Running"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as HttpServer from "../testing/HttpServer.ts"
import { client, config } from "../testing/Server.ts"

const reasonOf = (error: McpError) => `${error.reason} ${error.delivery}`

/** Sends progress notifications until the connection ends. */
const busy = (asked: HttpServer.Asked, response: ServerResponse): true => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  const progressToken = (asked.body.params?.["_meta"] as { progressToken: string } | undefined)?.progressToken
  const params = { progressToken, progress: 1 }
  const data = JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params })
  const timer = setInterval(() => response.write(`data: ${data}\n\n`), 20)
  response.once("close", () => clearInterval(timer))
  return true
}

describe("a deadline covers the whole operation, and progress does not extend it (promise 1)", () => {
  test.live("for an openSession whose server sends progress forever", function* () {
    const server = yield* HttpServer.start(busy)
    const adapter = yield* client
    const given = McpConnectionConfig.streamableHttp({ url: server.url, connectTimeout: "300 millis" })
    const error = yield* within(300 + 1_000, Effect.flip(adapter.openSession(given)))
    assert.strictEqual(reasonOf(error), "connect-timeout not-sent")
    assert.isFalse("diagnostics" in error)
  })

  test.live(
    "for an openSession whose process neither answers nor exits: the process is killed immediately",
    function* () {
      const pids = join(yield* directory, "pids")
      const stubborn = config(["silent", "grandchild", "ignore-eof", "ignore-sigterm", `pids=${pids}`], {
        connectTimeout: "2 seconds",
        // Longer than the test's timeout.
        closeGrace: "1 hour",
      })
      const error = yield* Effect.flip((yield* client).openSession(stubborn))
      assert.strictEqual(reasonOf(error), "connect-timeout not-sent")
      yield* gone(Number(readFileSync(pids, "utf8")))
    },
  )
})

// The reason of each error proves that no timeout ended the call: silence would be "stalled", after five minutes.
describe("a failure is reported immediately, long before any timeout (promise 4)", () => {
  test.live("for an HTTP server that does not listen: unreachable and not-sent", function* () {
    const { ask, server } = yield* HttpServer.session()
    server.stop()
    assert.strictEqual(reasonOf(yield* Effect.flip(ask("echo"))), "unreachable not-sent")
  })
})
