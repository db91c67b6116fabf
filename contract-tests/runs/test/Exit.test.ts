import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import * as McpClientContractSuite from "@zain/contract-tests/McpClientContractSuite"
import { expect, it } from "vitest"
import * as Excuses from "./Excuses.ts"

const program = fileURLToPath(new URL("./programs/CheckFake.ts", import.meta.url))

/** In milliseconds. It only ends what hangs. */
const safetyLimit = 240_000

it("a program that was through the whole suite ends by itself: no timer, no socket, no process is left", async () => {
  const child = spawn(process.execPath, ["--conditions=zain-source", program], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: safetyLimit,
  })
  const [printed, [status, signal]] = await Promise.all([text(child.stdout), once(child, "close")])
  const { cases } = McpClientContractSuite
  const counts = (cannot: object) => {
    const skipped = cases.filter(({ needs }) => needs?.some((need) => need in cannot)).length
    return `${cases.length - skipped} passed, 0 failed, ${skipped} skipped`
  }
  expect(printed).toBe(
    `Codex: ${counts(FakePeer.forgets)}\nClaude Code: ${counts(Excuses.claudeCodeNative)}\nIt ends at once.\n`,
  )
  expect({ status, signal }).toEqual({ status: 0, signal: null })
})
