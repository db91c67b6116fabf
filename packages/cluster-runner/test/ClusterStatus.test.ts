/** The status of a cluster, as a table and over HTTP. */
import { request } from "node:http"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { LedgerError } from "@zain/cluster-client/Ledger"
import { listening } from "@zain/testkit/Listening"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import type { ClusterStatus } from "../src/ClusterStatus.ts"
import * as StatusPage from "../src/StatusPage.ts"
import * as StatusTable from "../src/StatusTable.ts"

const runner = {
  address: "node7:8930",
  groups: ["default", "gpu"],
  isHealthy: true,
  shards: 150,
  sessions: 12,
  turns: 3,
}
const gone = { ...runner, address: "node8.internal:8930", groups: ["<b>"], isHealthy: false, turns: 0 }
const status: ClusterStatus = {
  runners: [
    { ...runner, renewedAgo: 2_400, oldestTurn: 310_000 },
    { ...gone, renewedAgo: 7_300_000 },
  ],
  ...{ sessions: 24, turns: 3, lostTurns: 1 },
}
const counts = () => ({ sessions: 12, turns: 3, failures: 2 })

it("the table of zain-runner status has a line for each runner, numbers aligned to the right, and the sums below", () => {
  assert.strictEqual(
    StatusTable.write(status),
    `RUNNER               STATE    GROUPS       SHARDS  SESSIONS  TURNS  OLDEST  RENEWED
node7:8930           healthy  default,gpu     150        12      3      5m   2s ago
node8.internal:8930  gone     <b>             150        12      0       -   2h ago

1 of 2 runners healthy, 24 sessions, 3 turns under way, 1 lost
`,
  )
})

describe("the page of a runner's status", () => {
  /** The status, policy and body of an answer to a request with any header of Host. */
  const answer = (port: number, path: string, host = `127.0.0.1:${port}`, method = "GET") =>
    Effect.callback<readonly [number | undefined, string, string]>((resume) => {
      request({ host: "127.0.0.1", port, path, method, headers: { host } }, async (response) => {
        const policy = String(response.headers["content-security-policy"])
        resume(Effect.succeed([response.statusCode, policy, await text(response)]))
      }).end()
    })
  const serve = Effect.fnUntraced(function* (read: Parameters<typeof StatusPage.serve>[1]) {
    const port = yield* Effect.scoped(listening(() => {}))
    assert.strictEqual(yield* StatusPage.serve(port, read, counts), `http://127.0.0.1:${port}/`)
    return port
  })

  test.live("loads nothing from elsewhere, shows names as text, and has its data as JSON", function* () {
    const port = yield* serve(Effect.succeed(status))
    const [code, policy, page] = yield* answer(port, "/")
    assert.deepStrictEqual([code, page.includes("3 turns under way, 1 lost")], [200, true])
    assert.match(policy, /^default-src 'none'; connect-src 'self'; script-src 'sha256-[^']+'; style-src 'sha256-/)
    assert.notMatch(page, /https?:|src=|href=|<b>/)
    const [, , data] = yield* answer(port, "/status")
    assert.deepStrictEqual(JSON.parse(data), { cluster: status, runner: counts() })
  })

  test.live("refuses another name of Host, another method and another path (promise 25)", function* () {
    const port = yield* serve(Effect.succeed(status))
    const codes = yield* Effect.all([
      answer(port, "/status", `rebound.example:${port}`),
      answer(port, "/status", undefined, "POST"),
      answer(port, "/agents"),
    ])
    assert.deepStrictEqual(
      codes.map(([code]) => code),
      [403, 405, 404],
    )
  })

  test.live("is served while the database does not answer, and says why there is no cluster", function* () {
    const message = "Could not reach PostgreSQL: connection refused."
    const port = yield* serve(Effect.fail(new LedgerError({ reason: "unavailable", message })))
    const [code, , data] = yield* answer(port, "/status")
    assert.deepStrictEqual([code, JSON.parse(data)], [503, { error: message, runner: counts() }])
    const [alive, , page] = yield* answer(port, "/")
    assert.deepStrictEqual([alive, page.includes(message)], [200, true])
  })
})
