import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import * as McpClientContractSuite from "@zain/contract-tests/McpClientContractSuite"
import { expect, it } from "vitest"

const program = fileURLToPath(new URL("./programs/CheckServed.ts", import.meta.url))

/** In milliseconds. It only ends what hangs. */
const safetyLimit = 240_000

it("a program that was through the whole suite over HTTP and SSE ends by itself: no timer and no socket is left, and no rejection went unhandled", async () => {
  const child = spawn(process.execPath, ["--conditions=zain-source", "--unhandled-rejections=strict", program], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: safetyLimit,
  })
  const [printed, [status, signal]] = await Promise.all([text(child.stdout), once(child, "close")])
  const { cases } = McpClientContractSuite
  const skipped = cases.filter(({ needs = [] }) => needs.some((need) => Object.hasOwn(FakePeer.forgets, need))).length
  const all = `${cases.length - skipped} passed, 0 failed, ${skipped} skipped`
  const said = printed.split("\n").filter((line) => !/^(skipped|unproven) /.test(line))
  expect(said).toEqual([`Streamable HTTP: ${all}`, `SSE: ${all}`, "It ends at once.", ""])
  expect({ status, signal }).toEqual({ status: 0, signal: null })
})
