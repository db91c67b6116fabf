import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { FakePeer } from "@zain/contract-tests"
import { compileCache, logVariable } from "@zain/contract-tests/FakePeerLog"
import { run } from "@zain/contract-tests/VitestRunner"
import { McpConnectionConfig } from "@zain/core"
import { afterAll } from "vitest"
import * as Everything from "../src/Everything.ts"

const directory = mkdtempSync(join(tmpdir(), "zain-e2e-"))
afterAll(() => rmSync(directory, { recursive: true }))

const log = join(directory, "everything.log")
const tap = fileURLToPath(new URL("../src/StdioTap.ts", import.meta.url))
const args = ["--conditions=zain-source", "--import", tap, Everything.program, "stdio"]

run({
  name: "the reference server over stdio",
  config: McpConnectionConfig.stdio({
    command: process.execPath,
    args,
    env: { [logVariable]: log, ...compileCache() },
  }),
  unreachable: McpConnectionConfig.stdio({ command: "/nowhere/everything" }),
  silent: McpConnectionConfig.stdio({ command: "sleep", args: ["1000"] }),
  peer: FakePeer.observe(log),
  ...Everything.subject,
})
