import { readFileSync } from "node:fs"
import { dirname } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ScriptedModel, ScriptedTurn } from "@zain/scripted-model"
import * as Programs from "../src/Programs.ts"
import { binaries } from "../src/RealAgents.ts"

const program = "examples/one-request/main.ts"

describe("the program of the README", () => {
  it("equals the example", () => {
    const readme = readFileSync(`${Programs.root}/README.md`, "utf8")
    const block = /```ts\n(.*?)```/s.exec(readme)?.[1]
    assert.strictEqual(block, readFileSync(`${Programs.root}/${program}`, "utf8"))
  })

  it("runs: it finds its agent on PATH, which remembers", async () => {
    await using model = await ScriptedModel.start({
      respond: ({ userMessages }) => {
        const name = /My name is (\w+)/.exec(userMessages.join("\n"))?.[1]
        return ScriptedTurn.text(userMessages.at(-1)?.includes("What is my name?") ? `You are ${name}.` : "Hello.")
      },
    })
    const { env } = await model.claudeCode()
    const PATH = `${dirname(binaries.claudeCode)}:${dirname(process.execPath)}:/usr/bin:/bin`
    const { exitCode, stderr, stdout } = await Programs.end(Programs.start(program, { ...env, PATH }))
    assert.strictEqual(stderr, "")
    assert.strictEqual(stdout, "Hello.\nYou are Zain.\n")
    assert.strictEqual(exitCode, 0)
  })
})
