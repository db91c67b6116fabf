/** Fakes of the agents' own MCP servers as processes. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { McpClientContractSuite } from "@zain/contract-tests"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import { run } from "@zain/contract-tests/VitestRunner"
import { McpConnectionConfig } from "@zain/core"
import { afterAll } from "vitest"
import { agents } from "./Agents.ts"

const directory = mkdtempSync(join(tmpdir(), "zain-contract-"))
afterAll(() => rmSync(directory, { recursive: true }))

for (const { dialect, name, native, title } of agents) {
  const log = join(directory, `${name}.log`)
  const subject = {
    ...{ provider: name, cannot: FakePeer.inMemory(dialect).cannot, make: native({}) },
    name: `${title}, a fake over stdio`,
    config: McpConnectionConfig.stdio(FakePeer.command(dialect, { log })),
    unreachable: McpConnectionConfig.stdio({ command: "/nowhere/agent", args: dialect.server.args }),
    silent: McpConnectionConfig.stdio(FakePeer.command(dialect, { log, silent: true })),
    peer: FakePeer.observe(log),
  }
  run(subject, { only: McpClientContractSuite.ofTransport })
}
