/**
 * Proves the provider: the whole contract suite against `agent.ts`, which plays the agent.
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
    resume: "this agent forgets its conversations when its server ends",
    elsewhere: "this agent forgets its conversations when its server ends",
    changes: "this agent writes no files",
    reasons: "this agent's question has no room for a reason",
    tools: "MCP has no word for what an agent does with its own tools, and this one adds none",
    usage: "MCP has no word for tokens, and this agent adds none",
  },
})
