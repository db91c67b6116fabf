/** An orchestrator's loop with both real agents: one writes by its sub-agents, the other reviews the diff. */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import { place } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"

const rounds = 5
const files = ["left.txt", "right.txt"]

/** The last number behind a word in the user's messages. */
const last = (word: string, messages: ReadonlyArray<string>) =>
  messages.flatMap((text) => [...text.matchAll(new RegExp(`${word} (\\d+)`, "g"))].map(([, n]) => Number(n))).at(-1)

test.live("a reviewer never sees half of a change that a sub-agent writes (promise 34)", function* () {
  const writer = yield* place("claude-code", {
    respond: ({ toolResults, userMessages }) => {
      const part = last("Part", userMessages)
      const round = last("Round", userMessages)
      const prefix = part === undefined ? `round_${round}_` : `part_${part}_`
      const done = toolResults.filter(({ callId }) => callId.startsWith(prefix)).length
      const call = (name: string, input: Record<string, unknown>) =>
        ScriptedTurn.toolCall(name, input, { callId: `${prefix}${done}` })
      if (part === undefined) {
        const task = { description: "Write", prompt: `Part ${round}`, run_in_background: true }
        return done === 0 ? call("Agent", task) : ScriptedTurn.text("Delegated.")
      }
      const file = files[done]
      // The sub-agent ends without a report that names its part.
      return file === undefined
        ? ScriptedTurn.text("Written.")
        : call("Bash", { command: `sleep 0.2; echo ${part} > ${file}`, description: "Write" })
    },
  })
  const reviewer = yield* place("codex", {
    respond: ({ userMessages }) => {
      const numbers = [...(userMessages.at(-1) ?? "").matchAll(/^\+(\d+)$/gm)].map(([, n]) => n)
      return ScriptedTurn.text(numbers.length === 2 && new Set(numbers).size === 1 ? `whole ${numbers[0]}` : "half")
    },
  })
  const repository = writer.directory
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-C", repository, "-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: repository },
    })
  git("init", "--quiet")
  for (const file of files) writeFileSync(join(repository, file), "0\n")
  git("add", ...files)
  git("commit", "--quiet", "--message", "Start")

  const claude = yield* OwnClient.adapter("claude-code", { ask: () => "approve" })
  const codex = yield* OwnClient.adapter("codex")
  const [writing, reviewing] = [
    yield* claude.openSession(OwnClient.config(writer)),
    yield* codex.openSession(OwnClient.config(reviewer)),
  ]
  const verdicts: Array<string> = []
  for (let round = 1; round <= rounds; round++) {
    yield* claude.execute(writing, { content: `Round ${round}` })
    const content = `Review:\n${git("diff", "--unified=0")}`
    verdicts.push((yield* codex.execute(reviewing, { content })).content)
    git("commit", "--quiet", "--all", "--allow-empty", "--message", `Round ${round}`)
  }
  assert.deepStrictEqual(
    verdicts,
    Array.from({ length: rounds }, (_, at) => `whole ${at + 1}`),
  )
})
