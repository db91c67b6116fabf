/** When the modules of a program's first session are loaded. */
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const program = fileURLToPath(new URL("fixtures/warm.ts", import.meta.url))

describe("the SDK, which costs a first session 150 ms of CPU (promise 1)", () => {
  it("is loaded by an idle client before its first session, and by no import", async () => {
    const child = spawn(process.execPath, ["--conditions=zain-source", program], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    assert.deepStrictEqual((await text(child.stdout)).trim().split("\n"), ["not loaded yet", "loaded"])
  })
})
