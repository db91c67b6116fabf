/** The commands use the list of agents that they receive: here three, the third made for tests. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import { agents } from "@zain/agent-list/Agents"
import { third } from "../../agent-list/testing/ThirdAgent.ts"
import type { Finding } from "../src/doctor/Finding.ts"
import * as Zain from "../testing/doctor/Zain.ts"
import { type Home, inHome } from "../testing/run/Home.ts"

const three = [...agents, third(fileURLToPath(new URL("ZainOfThree.ts", import.meta.url)))]

/** A `zain` of three agents, of which the third is installed. */
const zain = (home: Home) => {
  const bin = join(home.path, "bin")
  mkdirSync(bin)
  const says = '#!/bin/sh\n[ "$1" = whoami ] && echo "a badge" || echo "third 1.2.3"\n'
  writeFileSync(join(bin, "third-agent"), says, { mode: 0o755 })
  const here: Home["here"] = (args, env) => home.here(args, env, { agents: three })
  return (...args: ReadonlyArray<string>) => Zain.run({ ...home, here }, args)
}

describe("zain with an agent that the commands do not name (docs/guides/write-an-adapter.md)", () => {
  inHome(
    "`zain doctor` reports its program, version and login, and the server that `zain serve` starts",
    function* (home) {
      const { code, output } = yield* zain(home)("doctor", "--json")
      assert.strictEqual(code, 0, output)
      const { agents, findings, servers } = JSON.parse(output)
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
    },
  )

  inHome("`zain run` runs it, and selects it without --provider if it alone is installed", function* (home) {
    const run = zain(home)
    const { code, errors, output } = yield* run("run", "Good morning")
    assert.deepStrictEqual([code, output], [0, "You said: Good morning\n"], errors)
    const named = yield* run("run", "--provider", "third", "--command", "/no/such", "Good morning")
    assert.include(named.errors, 'Install Third with "npm install --global third-agent"')
  })

  inHome("`zain serve` knows it, and the help of every command names it", function* (home) {
    const run = zain(home)
    const wrong = yield* run("serve", "third", "--port", "8931")
    assert.strictEqual(wrong.code, 2)
    assert.match(wrong.errors, /^zain serve third: --port is for http and sse only\. See zain serve third --help\.\n$/)
    for (const command of ["run", "doctor", "serve"]) assert.include((yield* run(command, "--help")).output, "third")
  })
})
