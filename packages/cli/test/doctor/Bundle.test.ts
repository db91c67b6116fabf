/** The command as it is published: one bundle. What is loaded late is loaded from there too. */

import { execFile } from "node:child_process"
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import { fakeCodex } from "@zain/codex-client/fake"
import * as FakePeer from "@zain/contract-tests/FakePeer"
import * as Effect from "effect/Effect"
import { build } from "tsup"
import { commands } from "../../../../scripts/Bundles.ts"
import { test } from "../../../tool-server/test/Test.ts"

const source = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const bundled = Effect.acquireRelease(
  Effect.promise(async () => {
    const directory = mkdtempSync(join(tmpdir(), "zain-bundle-"))
    const entry = [source("src/zain.ts")]
    await build({ ...commands, config: false, silent: true, clean: false, entry, outDir: join(directory, "dist") })
    copyFileSync(source("package.json"), join(directory, "package.json"))
    return directory
  }),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true })),
)

const run = (directory: string, args: ReadonlyArray<string>) =>
  Effect.callback<{ readonly code: number; readonly output: string }>((resume) => {
    const env = { PATH: process.env["PATH"], HOME: directory }
    execFile(
      process.execPath,
      [join(directory, "dist/zain.js"), ...args],
      { env, cwd: directory },
      (error, stdout, stderr) => resume(Effect.succeed({ code: Number(error?.code ?? 0), output: stdout + stderr })),
    )
  })

describe("the bundle of zain", () => {
  test.live("probes servers over both kinds of HTTP, and reads both kinds of files", function* () {
    const directory = yield* bundled
    const http = yield* FakePeer.serve(fakeCodex, { transport: "streamable-http" })
    const sse = yield* FakePeer.serve(fakeCodex, { transport: "sse" })
    const servers = ["--server", http.config.serverUrl, "--server", `sse+${sse.config.serverUrl}`]
    assert.deepInclude(yield* run(directory, ["doctor", ...servers]), { code: 0 })
    writeFileSync(join(directory, "a.json"), JSON.stringify({ mcpServers: { one: { command: "true" } } }))
    writeFileSync(join(directory, "b.toml"), '[mcp_servers.two]\ncommand = "true"\n')
    const { code, output } = yield* run(directory, ["mcp", "list", "a.json", "b.toml"])
    assert.strictEqual(code, 0)
    assert.match(output, /\none +stdio +true.*\ntwo +stdio +true/)
  })
})
