import { readFileSync } from "node:fs"
import { dirname } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ScriptedModel, ScriptedTurn } from "@zain/scripted-model"
import * as Programs from "../src/Programs.ts"
import { binaries } from "../src/RealAgents.ts"

const program = "examples/one-request/main.ts"

/** Runs it with the real Claude Code on PATH, whose environment lacks the variable `without`. */
const run = async (model: ScriptedModel.StartedModel, without?: string) => {
  const { env } = await model.claudeCode()
  const given = Object.fromEntries(Object.entries(env).filter(([name]) => name !== without))
  const PATH = `${dirname(binaries.claudeCode)}:${dirname(process.execPath)}:/usr/bin:/bin`
  return Programs.end(Programs.start(program, { ...given, PATH }))
}

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
    const { exitCode, stderr, stdout } = await run(model)
    assert.strictEqual(stderr, "")
    assert.strictEqual(stdout, "Hello.\nYou are Zain.\n")
    assert.strictEqual(exitCode, 0)
  })

  it("throws the remedy and prints no answer when its agent is not logged in", async () => {
    await using model = await ScriptedModel.start({ respond: () => ScriptedTurn.text("Hello.") })
    const { exitCode, stderr, stdout } = await run(model, "ANTHROPIC_API_KEY")
    assert.strictEqual(stdout, "")
    for (const part of ["one-request/main.ts:7", "Log in with `claude auth login`", "cause", "NotLoggedIn"])
      assert.include(stderr, part)
    assert.strictEqual(exitCode, 1)
  })
})
