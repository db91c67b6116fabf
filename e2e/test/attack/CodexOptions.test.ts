/** The effect of options beside a thread in the real Codex. */
import { existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { place } from "../../src/AgentServers.ts"
import * as OfficialClient from "../../src/OfficialClient.ts"
import * as Repository from "../../src/Repository.ts"

describe("options beside a thread of the real codex (attack: options beside a thread)", () => {
  test.live("give a thread another sandbox, directory and configuration, also after a restart", function* () {
    const at = yield* place("codex", { respond: Repository.respond })
    const { work } = at
    const other = join(at.directory, "other")
    mkdirSync(other)
    const connect = OfficialClient.connect(at)
    // By default temporary directories are writable, and the home of this test is in one.
    const config = { "sandbox_workspace_write.exclude_slash_tmp": true }
    const write = { sandbox: "workspace-write", config }
    const read = { sandbox: "read-only" }

    const turns = (threadId: string, { reply }: OfficialClient.OfficialClient) =>
      Effect.fnUntraced(function* (options: Record<string, unknown>, isWritable: boolean, where = work) {
        const prompt = Repository.prompt(["touch written"])
        const { content, isError } = yield* reply(threadId, prompt, options)
        assert.isFalse(isError, content)
        assert.strictEqual(existsSync(join(where, "written")), isWritable, content)
        rmSync(join(where, "written"), { force: true })
      })
    const threadId = yield* Effect.scoped(
      Effect.gen(function* () {
        const client = yield* connect
        const begun = yield* client.start(Repository.prompt(["true"]), { cwd: work, ...write })
        const turn = turns(begun.threadId ?? "", client)
        yield* turn({}, true)
        yield* turn(write, true)
        yield* turn(read, false)
        yield* turn({}, false)
        return begun.threadId ?? ""
      }),
    )
    const client = yield* connect
    const turn = turns(threadId, client)
    yield* turn({}, false)
    yield* turn(write, true)
    yield* turn({ cwd: other }, true, other)
    const { requests } = at.model
    assert.strictEqual((yield* requests).at(-1)?.model, "scripted-model")
    yield* turn({ ...read, model: "another-model" }, false, other)
    assert.strictEqual((yield* requests).at(-1)?.model, "another-model")

    const count = (yield* requests).length
    const words = { "developer-instructions": "Be kind." }
    const refused = yield* Effect.flip(client.reply(threadId, Repository.prompt(["true"]), words))
    assert.include(String(refused.cause), "`developer-instructions` cannot change")
    assert.lengthOf(yield* requests, count)
  })
})
