/** The published command: one bundle, from which late modules are loaded too. */

import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import { fakeCodex } from "@zain/codex-client/fake"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import * as Effect from "effect/Effect"
import { test } from "../../../core/test/Test.ts"
import { directory } from "../../../process/test/Directory.ts"

const zain = fileURLToPath(new URL("../../dist/zain.js", import.meta.url))

const run = (directory: string, args: ReadonlyArray<string>) =>
  Effect.callback<{ readonly code: number; readonly output: string }>((resume) => {
    const options = { env: { PATH: process.env["PATH"], HOME: directory }, cwd: directory }
    execFile(process.execPath, [zain, ...args], options, (error, stdout, stderr) =>
      resume(Effect.succeed({ code: Number(error?.code ?? 0), output: stdout + stderr })),
    )
  })

describe("the bundle of zain", () => {
  test.live("probes servers over both kinds of HTTP, and reads both kinds of files", function* () {
    const at = yield* directory
    const http = yield* FakePeer.serve(fakeCodex, { transport: "streamable-http" })
    const sse = yield* FakePeer.serve(fakeCodex, { transport: "sse" })
    const servers = ["--server", http.config.serverUrl, "--server", `sse+${sse.config.serverUrl}`]
    assert.deepInclude(yield* run(at, ["doctor", ...servers]), { code: 0 })
    writeFileSync(join(at, "a.json"), JSON.stringify({ mcpServers: { one: { command: "true" } } }))
    writeFileSync(join(at, "b.toml"), '[mcp_servers.two]\ncommand = "true"\n')
    const { code, output } = yield* run(at, ["mcp", "list", "a.json", "b.toml"])
    assert.strictEqual(code, 0)
    assert.match(output, /\none +stdio +true.*\ntwo +stdio +true/)
  })
})
