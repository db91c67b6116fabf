/**
 * The page of a runner's status in the browser of this machine.
 */

import type { ClusterStatus } from "@zain/cluster-runner/ClusterStatus"
import * as StatusPage from "@zain/cluster-runner/StatusPage"
import { listening } from "@zain/testkit/Listening"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { type Browser, chromium } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { isSkipped } from "../src/InstalledPrograms.ts"

const title = "the page of a runner's status"
const chromiumPath = "/usr/bin/chromium"
/** In milliseconds, for each step. */
const soon = 10_000

const runner = (name: number) => ({
  address: `zain-runner-${name}.zain-runner.agents.svc:8930`,
  groups: ["default", "gpu"],
  ...{ isHealthy: name !== 2, shards: 150, sessions: 12, turns: 3, renewedAgo: 2_400, oldestTurn: 310_000 },
})
const cluster: ClusterStatus = { runners: [0, 1, 2].map(runner), sessions: 36, turns: 9, lostTurns: 1 }
const away = { message: "Could not reach PostgreSQL: connection refused." }

describe.skipIf(isSkipped(chromiumPath, title))(title, () => {
  const scope = Scope.makeUnsafe()
  let browser: Browser
  let [url, isAway] = ["", false]
  beforeAll(async () => {
    const status = Effect.suspend(() => (isAway ? Effect.fail(away) : Effect.succeed(cluster)))
    const counts = () => ({ sessions: 12, turns: 3, failures: 2 })
    url = await Effect.scoped(listening(() => {})).pipe(
      Effect.flatMap((port) => Scope.provide(StatusPage.serve(port, status, counts), scope)),
      Effect.runPromise,
    )
    const args = process.getuid?.() === 0 ? ["--no-sandbox"] : []
    browser = await chromium.launch({ executablePath: chromiumPath, args })
  })
  afterAll(async () => {
    await browser?.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it.each([390, 1_280])(
    "shows numbers and runners at %i pixels, and scrolls to the side in the table alone",
    async (width) => {
      isAway = false
      const page = await browser.newPage({ viewport: { width, height: 800 } })
      page.setDefaultTimeout(soon)
      const problems: Array<string> = []
      page.on("console", (message) => problems.push(message.text()))
      page.on("pageerror", (error) => problems.push(error.message))
      page.on("request", (request) => {
        if (new URL(request.url()).origin !== new URL(url).origin) problems.push(request.url())
      })
      await page.goto(url)
      const text = await page.locator("pre").textContent()
      assert.include(text, `${runner(2).address}  gone     default,gpu     150        12      3      5m   2s ago`)
      assert.include(
        text,
        "2 of 3 runners healthy, 36 sessions, 9 turns under way, 1 lost\n2 failed turns at this runner",
      )
      assert.isAtMost(await page.evaluate("document.documentElement.scrollWidth"), width)
      isAway = true
      await page.getByRole("status").getByText(away.message).waitFor()
      assert.deepStrictEqual(problems, [])
      await page.close()
    },
  )
})
