/** The effect of options beside a thread in the real agents. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import type { ModelRequest } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { agents, type Place, place } from "../../src/AgentServers.ts"
import * as OfficialClient from "../../src/OfficialClient.ts"
import * as Repository from "../../src/Repository.ts"
import * as Wishes from "../../src/Wishes.ts"

type Options = Record<string, unknown>
/** Options of a turn, and what is then seen of it: `written` are the directories with its file, `asked` its approvals. */
type Turn = readonly [options: Options, seen: object]

/** The words by which a test recognises the instructions of a request. */
const instructions = ({ messages }: ModelRequest.ModelRequest) => {
  const system = messages.flatMap(({ role, text }) => (role === "system" ? [text] : [])).join("\n")
  return [...new Set(system.match(/uniq-[a-z]+/g))]
}

/**
 * - `begin`, `started`: the first prompt and options of the thread. `write`: a prompt to write the file
 * - `look`: what a request shows
 * - `turns`, and `later` after a restart; `anew`: of another thread, without options
 * - `refused`: options with the words of the refusal
 */
const stories = {
  codex: ({ work }: Place, other: string) => {
    // By default temporary directories are writable, and the home of this test is in one.
    const write = { sandbox: "workspace-write", config: { "sandbox_workspace_write.exclude_slash_tmp": true } }
    const read = { sandbox: "read-only" }
    const [written, unwritten] = [{ written: [work], model: "scripted-model" }, { written: [] }]
    return {
      begin: Repository.prompt(["true"]),
      started: { cwd: work, ...write },
      write: () => Repository.prompt(["touch written"]),
      look: ({ model }: ModelRequest.ModelRequest) => ({ model }),
      turns: [
        [{}, written],
        [write, written],
        [read, unwritten],
        [{}, unwritten],
      ],
      later: [
        [{}, unwritten],
        [write, written],
        [{ cwd: other }, { ...written, written: [other] }],
        [
          { ...read, model: "another-model" },
          { written: [], model: "another-model" },
        ],
      ],
      refused: [{ "developer-instructions": "Be kind." }, "`developer-instructions` cannot change"],
      anew: [],
    } as const
  },
  "claude-code": ({ directory, work }: Place, other: string) => {
    const agent = "---\nname: reviewer\ndescription: Reviews.\n---\nuniq-agent\n"
    writeFileSync(join(directory, "claude", "agents", "reviewer.md"), agent)
    const begin = Wishes.prompt({ _tag: "Say", text: "Begun." })
    const started = { cwd: work, "permission-mode": "default", "base-instructions": "uniq-base", effort: "high" }
    const first = { asked: 1, written: [], model: "scripted-model", effort: "high", instructions: ["uniq-base"] }
    const changed = { ...first, asked: 0, written: [work], model: "another-model", effort: "low" }
    const instructed = { ...changed, instructions: ["uniq-other", "uniq-developer"] }
    const last = { ...instructed, written: [other] }
    return {
      begin: begin.text,
      started,
      write: () => Wishes.use("Write", { file_path: "written", content: "x" }),
      look: (request: ModelRequest.ModelRequest) => {
        const { output_config } = request.body as { readonly output_config?: { readonly effort?: string } }
        assert.include(Wishes.keysOf(request), begin.key, "The conversation goes on.")
        return { model: request.model, effort: output_config?.effort, instructions: instructions(request) }
      },
      turns: [
        [started, first],
        [{ "permission-mode": "acceptEdits", model: "another-model", effort: "low" }, changed],
        [{ "base-instructions": "uniq-other", "developer-instructions": "uniq-developer" }, instructed],
        [{ cwd: other }, last],
      ],
      later: [
        [{}, last],
        [{ "disallowed-tools": ["Write"] }, { ...last, written: [] }],
        [{ "disallowed-tools": [] }, last],
      ],
      refused: [{ agent: "missing" }, "`agent` does not name one of Claude Code's agents;"],
      anew: [[{ agent: "reviewer" }, { instructions: ["uniq-agent"] }]],
    } as const
  },
}

describe.each(agents)("options beside a thread of the real %s (attack: options beside a thread)", (agent) => {
  test.live("hold for its turns from then on, also after a restart, or are refused before a request", function* () {
    const at = yield* place(agent, agent === "codex" ? { respond: Repository.respond } : {})
    const other = join(at.directory, "other")
    mkdirSync(other)
    const { anew, begin, later, look, refused, started, turns, write } = stories[agent](at, other)
    const connect = OfficialClient.connect(at)
    const play = (threadId: string | undefined, { asked, reply }: OfficialClient.OfficialClient) =>
      Effect.fnUntraced(function* (all: ReadonlyArray<Turn>) {
        for (const [options, seen] of all) {
          const before = asked.length
          const { content, isError } = yield* reply(threadId, write(), options)
          assert.isFalse(isError, content)
          const request = (yield* at.model.requests).at(-1)
          assert(request !== undefined)
          const written = [at.work, other].filter((directory) => existsSync(join(directory, "written")))
          assert.deepInclude({ asked: asked.length - before, written, ...look(request) }, seen, content)
          for (const directory of written) rmSync(join(directory, "written"))
        }
      })
    const threadId = yield* Effect.scoped(
      Effect.gen(function* () {
        const client = yield* connect
        const begun = yield* client.start(begin, started)
        yield* play(begun.threadId, client)(turns)
        return begun.threadId
      }),
    )
    const client = yield* connect
    yield* play(threadId, client)(later)

    const count = (yield* at.model.requests).length
    const [options, words] = refused
    const refusal = Effect.match(client.reply(threadId, begin, options), {
      onSuccess: ({ content }) => content,
      onFailure: ({ cause }) => String(cause),
    })
    assert.include(yield* refusal, words)
    assert.lengthOf(yield* at.model.requests, count)
    yield* play(threadId, client)(later.slice(-1))
    const plain = yield* client.start(begin, { cwd: at.work })
    yield* play(plain.threadId, client)(anew)
  })
})
