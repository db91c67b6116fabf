/**
 * Runs the contract suite with the provider and `agent.ts`.
 *
 *   npx vitest run Provider.test.ts
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { FakePeer } from "@zain/contract-tests"
import { logVariable } from "@zain/contract-tests/FakePeerLog"
import { run } from "@zain/contract-tests/VitestRunner"
import { McpConnectionConfig } from "@zain/core"
import { afterAll } from "vitest"
import * as Provider from "./Provider.ts"

const directory = mkdtempSync(join(tmpdir(), "my-agent-"))
afterAll(() => rmSync(directory, { recursive: true }))

const log = join(directory, "log")
const agent = fileURLToPath(new URL("./agent.ts", import.meta.url))
const start = (...args: ReadonlyArray<string>) =>
  McpConnectionConfig.stdio({
    command: process.execPath,
    args: [...process.execArgv, agent, ...args],
    env: { [logVariable]: log },
  })

run({
  name: "my agent",
  provider: "my-agent",
  make: Provider.make,
  config: start(),
  unreachable: McpConnectionConfig.stdio({ command: "no-such-agent" }),
  silent: start("--silent"),
  peer: FakePeer.observe(log),
  cannot: {
    resume: "this agent loses its conversations when its server ends",
    elsewhere: "this agent loses its conversations when its server ends",
    changes: "this agent writes no files",
    background: "this agent has no sub-agents",
    reasons: "this agent's request for approval accepts no reason",
    tools: "MCP defines no notification for an agent's own tools, and this agent adds none",
    usage: "MCP defines no field for tokens, and this agent adds none",
  },
})
