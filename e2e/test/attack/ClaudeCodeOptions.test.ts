/** The effect of options beside a thread in the real Claude Code. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import type { ModelRequest } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { place } from "../../src/AgentServers.ts"
import * as OfficialClient from "../../src/OfficialClient.ts"
import * as Wishes from "../../src/Wishes.ts"

type Options = Record<string, unknown>

/** The words by which a test recognises the instructions of a request. */
const instructions = ({ messages }: ModelRequest.ModelRequest) => {
  const system = messages.flatMap(({ role, text }) => (role === "system" ? [text] : [])).join("\n")
  return [...new Set(system.match(/uniq-[a-z]+/g))]
}

describe("options beside a thread of the real claude-code (attack: options beside a thread)", () => {
  test.live(
    "give it another mode, model, effort, instructions, agent and directory, also after a restart",
    function* () {
      const at = yield* place("claude-code")
      const { work } = at
      const other = join(work, "..", "other")
      mkdirSync(other)
      const agent = "---\nname: reviewer\ndescription: Reviews.\n---\nuniq-agent\n"
      writeFileSync(join(at.directory, "claude", "agents", "reviewer.md"), agent)
      const connect = OfficialClient.connect(at)
      const begin = Wishes.prompt({ _tag: "Say", text: "Begun." })
      let files = 0

      /** A turn that writes a file. */
      const turns =
        (threadId: string, { asked, reply }: OfficialClient.OfficialClient) =>
        (options: Options) =>
          Effect.gen(function* () {
            const [before, name] = [asked.length, `file-${++files}`]
            const prompt = Wishes.use("Write", { file_path: name, content: "x" })
            const { content, isError } = yield* reply(threadId, prompt, options)
            assert.isFalse(isError, content)
            const request = (yield* at.model.requests).at(-1)
            assert(request !== undefined)
            assert.include(Wishes.keysOf(request), begin.key, "The conversation goes on.")
            const { output_config } = request.body as { readonly output_config?: { readonly effort?: string } }
            return {
              asked: asked.length - before,
              written: [work, other].filter((directory) => existsSync(join(directory, name))),
              model: request.model,
              effort: output_config?.effort,
              instructions: instructions(request),
            }
          })

      const started = { cwd: work, "permission-mode": "default", "base-instructions": "uniq-base", effort: "high" }
      const first = { asked: 1, written: [], model: "scripted-model", effort: "high", instructions: ["uniq-base"] }
      const changed = { ...first, asked: 0, written: [work], model: "another-model", effort: "low" }
      const { last, threadId } = yield* Effect.scoped(
        Effect.gen(function* () {
          const client = yield* connect
          const { threadId = "" } = yield* client.start(begin.text, started)
          const turn = turns(threadId, client)
          assert.deepStrictEqual(yield* turn(started), first)
          const given = { "permission-mode": "acceptEdits", model: "another-model", effort: "low" }
          assert.deepStrictEqual(yield* turn(given), changed)
          const instructed = { ...changed, instructions: ["uniq-other", "uniq-developer"] }
          const words = { "base-instructions": "uniq-other", "developer-instructions": "uniq-developer" }
          assert.deepStrictEqual(yield* turn(words), instructed)
          const moved = { ...instructed, written: [other] }
          assert.deepStrictEqual(yield* turn({ cwd: other }), moved)
          return { threadId, last: moved }
        }),
      )
      const client = yield* connect
      const turn = turns(threadId, client)
      assert.deepStrictEqual(yield* turn({}), last)
      assert.deepStrictEqual(yield* turn({ "disallowed-tools": ["Write"] }), { ...last, written: [] })
      assert.deepStrictEqual(yield* turn({ "disallowed-tools": [] }), last)

      const count = (yield* at.model.requests).length
      const unknown = yield* client.reply(threadId, "Go.", { agent: "missing" })
      assert.include(unknown.content, "`agent` does not name one of Claude Code's agents;")
      assert.lengthOf(yield* at.model.requests, count)
      assert.deepStrictEqual(yield* turn({}), last)
      const plain = yield* client.start(begin.text, { cwd: work })
      const reviewed = yield* turns(plain.threadId ?? "", client)({ agent: "reviewer" })
      assert.deepStrictEqual(reviewed.instructions, ["uniq-agent"])
    },
  )
})
