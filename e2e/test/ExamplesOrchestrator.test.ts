import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { ScriptedTurn } from "@zain/scripted-model"
import * as Stage from "./ExamplesStage.ts"

const program = "examples/orchestrator/main.ts"
const names = ["one", "two", "three"]

describe("the example orchestrator", () => {
  it("plans, works on two tasks at once, reviews and mends, and goes on after kill -9 and Ctrl-C", async () => {
    let runs = 1
    const [working, looking] = [new Set<string>(), new Set<string>()]
    let max = 0
    await using stage = await Stage.make(async ({ api, toolResults, userMessages }) => {
      const prompts = userMessages.join("\n")
      if (api === "responses") {
        if (!prompts.includes("Which mistakes has this diff?")) {
          const tasks = names.map((name) => ({ title: `Add ${name}`, prompt: `Write ${name}.txt.` }))
          return ScriptedTurn.text(JSON.stringify({ tasks }))
        }
        const name = /Write (\w+)\.txt/.exec(prompts)?.[1] ?? ""
        const isWrong = prompts.includes("+wrong")
        if (!isWrong) working.delete(name)
        return ScriptedTurn.text(JSON.stringify({ mistakes: isWrong ? [`${name} is wrong.`] : [] }))
      }
      const name = /Write (\w+)\.txt/.exec(prompts)?.[1] ?? ""
      working.add(name)
      max = Math.max(max, working.size)
      const file_path = stage.file(`../project.tasks/task-${names.indexOf(name) + 1}/${name}.txt`)
      const written = toolResults.filter(({ text }) => /(?:created|updated)/.test(text)).length
      if (written < (prompts.includes("Mend them") ? 2 : 1)) {
        const content = name === "two" && written === 0 ? "wrong\n" : "right\n"
        return ScriptedTurn.toolCall("Write", { file_path, content })
      }
      if (runs === 2 && !looking.has(name)) {
        looking.add(name)
        return ScriptedTurn.toolCall("Read", { file_path })
      }
      return runs < 3 ? ScriptedTurn.hang : ScriptedTurn.text(`${name} is written.`)
    })
    stage.git("init", "--quiet")
    stage.git("config", "user.name", "a")
    stage.git("config", "user.email", "a@example.com")
    writeFileSync(stage.file("README.md"), "A project.\n")
    stage.git("add", ".")
    stage.git("commit", "--quiet", "--message", "Start")

    const goal = ["Add three files"]
    const killed = await stage.run(program, [["task-2: Write"]], goal)
    assert.include(killed.stdout, "task-3: Add three\n")
    await stage.alone()
    runs++
    const interrupted = await stage.run(program, [["task-1: Read", { signal: "SIGINT" }]], goal)
    assert.deepStrictEqual([interrupted.exitCode, interrupted.stderr, interrupted.processes], [130, "", []])
    assert.notInclude(killed.stdout + interrupted.stdout, "done")
    assert.deepStrictEqual([...working].sort(), ["one", "two"])
    runs++
    const { stdout, ...rest } = await stage.run(program, [], goal)
    assert.deepStrictEqual(rest, { exitCode: 0, stderr: "", processes: [] })
    assert.deepStrictEqual(stdout.match(/^task-\d: done, on the branch .*$/gm)?.sort(), [
      "task-1: done, on the branch zain/task-1",
      "task-2: done, on the branch zain/task-2",
      "task-3: done, on the branch zain/task-3",
    ])
    assert.include(stdout, "task-2, review: two is wrong.\n")
    assert.match(stdout, /^budget: \d+ turns, \d+ tokens$/m)
    assert.strictEqual(max, 2)
    for (const [at, name] of names.entries()) {
      const shown = execFileSync("git", ["show", `zain/task-${at + 1}:${name}.txt`], { cwd: stage.directory })
      assert.strictEqual(shown.toString(), "right\n")
    }
    const requests = await stage.model.requests()
    const has = (text: string) => requests.filter(({ userMessages }) => userMessages.join("\n").includes(text))
    assert.lengthOf(has("Plan this"), 1)
    // The conversation of a task that was cut off goes on, with what was said in it before.
    const [last] = has("You were interrupted")
      .filter(({ userMessages }) => userMessages.join().includes("one.txt"))
      .slice(-1)
    assert.isAbove(last?.userMessages.filter((text) => text.includes("Write one.txt.")).length ?? 0, 1)
  })
})
