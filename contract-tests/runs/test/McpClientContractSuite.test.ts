/**
 * Runs the suite on each agent's adapter with the agent's own MCP server, as a fake in memory and one over stdio (requirements
 * 6.1 and 6.2), and on an agent that only this test adds to the list.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import { run } from "@zain/contract-tests/VitestRunner"
import { McpConnectionConfig } from "@zain/core"
import { afterAll, describe } from "vitest"
import { third } from "../../../packages/agent-list/testing/ThirdAgent.ts"
import { agents, load } from "./Agents.ts"

const directory = mkdtempSync(join(tmpdir(), "zain-contract-"))
afterAll(() => rmSync(directory, { recursive: true }))

describe.each([...agents, await load(third())])("$suite", ({ dialect, name, native, title }) => {
  const fake = FakePeer.inMemory(dialect)
  run({ ...fake, provider: name, name: `${title}, a fake in memory`, make: native(fake) })

  const log = join(directory, `${name}.log`)
  run({
    ...{ provider: name, cannot: fake.cannot, name: `${title}, a fake over stdio`, make: native({}) },
    config: McpConnectionConfig.stdio(FakePeer.command(dialect, { log })),
    unreachable: McpConnectionConfig.stdio({ command: "/nowhere/agent", args: dialect.server.args }),
    silent: McpConnectionConfig.stdio(FakePeer.command(dialect, { log, silent: true })),
    peer: FakePeer.observe(log),
  })
})
