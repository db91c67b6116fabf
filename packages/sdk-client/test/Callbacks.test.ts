/** Functions of the host that throw: no exception escapes. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { config } from "../testing/Server.ts"

const path = (name: string) => fileURLToPath(new URL(`../testing/fixtures/${name}`, import.meta.url))

describe("no exception escapes (promise 7)", () => {
  it("when every function of a host throws: each is a typed error, the console stays empty, and the host exits by itself", async () => {
    const host = spawn(
      process.execPath,
      ["--conditions=zain-source", "--unhandled-rejections=strict", path("throwing-host.ts"), JSON.stringify(config())],
      { stdio: ["ignore", "pipe", "pipe"], timeout: 240_000 },
    )
    const [stdout, stderr, [code]] = await Promise.all([text(host.stdout), text(host.stderr), once(host, "close")])
    assert.deepStrictEqual({ stderr, code }, { stderr: "", code: 0 })
    const broken = "ConnectionUnavailable protocol-violation unknown"
    assert.deepStrictEqual(JSON.parse(stdout), {
      open: `open: ${broken}`,
      call: broken,
      read: broken,
      event: broken,
      asks: broken,
      answer: "answer: done",
      policy: "answer: done",
      interrupted: "ConnectionUnavailable deadline-exceeded unknown",
      close: "SessionClosed closed unknown",
      stall: "ConnectionUnavailable stalled unknown",
    })
  })
})
