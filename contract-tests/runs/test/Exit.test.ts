import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import * as McpClientContractSuite from "@zain/contract-tests/McpClientContractSuite"
import { expect, it } from "vitest"
import { type Agent, agents } from "./Agents.ts"

const program = fileURLToPath(new URL("./programs/CheckFake.ts", import.meta.url))

/** Milliseconds. It ends only what hangs. */
const safetyTimeoutMillis = 240_000

const { cases } = McpClientContractSuite

const passed = (name: string, { dialect }: Agent) => {
  const { cannot } = FakePeer.inMemory(dialect)
  const skipped = cases.filter(({ needs }) => needs?.some((need) => need in cannot)).length
  return `${name}: ${cases.length - skipped} passed, 0 failed, ${skipped} skipped\n`
}

it.each([
  ["memory", agents.map((agent) => passed(agent.title, agent))],
  ["served", ["streamable-http", "sse"].map((transport) => passed(transport, agents[0]))],
])(
  "a program that was through the whole suite, %s, ends by itself: no timer, no socket, no process is left, and no rejection went unhandled",
  async (how, said) => {
    const args = ["--conditions=zain-source", "--unhandled-rejections=strict", program, how]
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], timeout: safetyTimeoutMillis })
    const [printed, [status, signal]] = await Promise.all([text(child.stdout), once(child, "close")])
    expect(printed).toBe(`${said.join("")}It ends at once.\n`)
    expect({ status, signal }).toEqual({ status: 0, signal: null })
  },
)
