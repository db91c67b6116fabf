/** The commands use the list of agents that they receive: here three, the third made for tests. */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import type { Finding } from "../src/doctor/Finding.ts"
import * as Zain from "../testing/doctor/Zain.ts"
import { make } from "../testing/run/Home.ts"

const program = fileURLToPath(new URL("ZainOfThree.ts", import.meta.url))

/** A home in which the third agent is installed, and a run of `zain` there. */
const place = Effect.map(make, ({ path, work }) => {
  const bin = join(path, "bin")
  mkdirSync(bin)
  writeFileSync(join(bin, "third-agent"), '#!/bin/sh\n[ "$1" = whoami ] && echo "a badge" || echo "third 1.2.3"\n')
  chmodSync(join(bin, "third-agent"), 0o755)
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: path, TMPDIR: path, NO_COLOR: "1" }
  return (args: ReadonlyArray<string>, input = "") =>
    spawnSync(process.execPath, ["--conditions=zain-source", program, ...args], {
      ...{ cwd: work, env, input },
      encoding: "utf8",
    })
})

describe("zain with an agent that the commands do not name (docs/guides/write-an-adapter.md)", () => {
  test.live("`zain doctor` reports its program, version, login and server", function* () {
    const { status, stdout } = (yield* place)(["doctor", "--json"])
    assert.strictEqual(status, 0, stdout)
    const { agents, findings, servers } = JSON.parse(stdout)
    const of = findings.filter(({ subject }: Finding) => /third/i.test(subject))
    assert.deepStrictEqual(Zain.inShort(findings), [
      "Codex: agent-missing warning",
      "Claude Code: agent-missing warning",
    ])
    assert.deepStrictEqual(
      of.map(({ kind }: Finding) => kind),
      ["agent-found", "agent-version", "agent-login", "agent-start", "handshake", "tools"],
    )
    assert.deepInclude(agents[2], { name: "third", version: "1.2.3", login: { state: "in", how: "a badge" } })
    assert.deepStrictEqual(servers[0].lists.tools.names, ["third", "third-reply"])
  })

  test.live("`zain run` runs it, and selects it without --provider if it alone is installed", function* () {
    const zain = yield* place
    for (const provider of [["--provider", "third"], []]) {
      const { status, stderr, stdout } = zain(["run", ...provider, "Good morning"])
      assert.deepStrictEqual([status, stdout], [0, "You said: Good morning\n"], stderr)
    }
  })

  test.live("`zain serve` serves it, and the help of every command names it", function* () {
    const zain = yield* place
    const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
    const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize })
    const { status, stdout } = zain(["serve", "third"], `${line}\n`)
    assert.deepStrictEqual([status, JSON.parse(stdout).result.serverInfo.name], [0, "zain-third-mcp"])
    const wrong = zain(["serve", "third", "--port", "8931"])
    assert.strictEqual(wrong.status, 2)
    assert.match(wrong.stderr, /^zain serve third: --port is for http and sse only\. See zain serve third --help\.\n$/)
    for (const command of ["run", "doctor", "serve"]) assert.include(zain([command, "--help"]).stdout, "third")
  })
})
