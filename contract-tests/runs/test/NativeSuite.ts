/** Holds an adapter in front of an agent's own MCP server to the contract: a fake in memory, and one over stdio. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import { run } from "@zain/contract-tests/VitestRunner"
import { McpConnectionConfig } from "@zain/core"
import { afterAll } from "vitest"
import type { Agent } from "./Agents.ts"

/** Registers every case, at the top of a test file. */
export const hold = ({ cannot, dialect, native, title }: Agent): void => {
  const { name: provider, server } = dialect
  const fake = FakePeer.inMemory(dialect)
  run({ ...fake, provider, cannot, name: `${title}, a fake in memory`, make: native(fake) })

  const directory = mkdtempSync(join(tmpdir(), "zain-contract-"))
  const log = join(directory, "peer.log")
  afterAll(() => rmSync(directory, { recursive: true }))
  run({
    ...{ provider, cannot, name: `${title}, a fake over stdio`, make: native() },
    config: McpConnectionConfig.stdio(FakePeer.command(dialect, { log })),
    unreachable: McpConnectionConfig.stdio({ command: "/nowhere/agent", args: server.args }),
    silent: McpConnectionConfig.stdio(FakePeer.command(dialect, { log, silent: true })),
    peer: FakePeer.observe(log),
  })
}
