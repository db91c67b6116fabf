/**
 * `zain threads`, and `zain run --fork`.
 *
 * @see docs/guides/conversations.md
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ended, inHome } from "../../testing/run/Home.ts"
import * as InProcess from "../../testing/run/InProcess.ts"

const unknown = "00000000-0000-4000-8000-000000000000"

describe("zain threads", () => {
  inHome("lists, prints, forks, names, archives and deletes conversations", function* (home) {
    const agents = yield* InProcess.held("codex")
    const program = home.prompt("codex", "").slice(1, -1)
    const said = (args: ReadonlyArray<string>, code = 0) =>
      Effect.map(ended(code, home.here(args, {}, { agents })), (zain) => (code === 0 ? zain.output() : zain.errors()))
    const run = (text: string, ...more: ReadonlyArray<string>) => said(home.prompt("codex", text, ...more))
    const threads = (...[name = "", ...rest]: ReadonlyArray<string>) => said(["threads", name, ...program, ...rest])
    yield* run("⟦zain:say#one yes⟧")
    const [{ firstPrompt, threadId }] = JSON.parse(yield* threads("list", "--json")).threads
    assert.include(firstPrompt, "#one")
    assert.include(yield* threads("list"), threadId)
    assert.match(yield* threads("show", threadId), /^> ⟦zain:say#one yes⟧\nyes$/m)
    const { turn } = JSON.parse(yield* threads("show", threadId, "--json"))
    const fork = (yield* threads("fork", threadId, "--turn", turn)).trim()
    assert.deepStrictEqual(JSON.parse(yield* run("⟦zain:recall#two⟧", "--fork", fork)), ["one", "two"])
    assert.strictEqual(JSON.parse(yield* threads("list", "--json")).threads.length, 3)
    yield* threads("rename", threadId, "A title")
    assert.include(yield* threads("list", "--all"), "A title")
    yield* threads("archive", threadId)
    assert.notInclude(yield* threads("list"), threadId)
    assert.include(yield* threads("list", "--archived"), threadId)
    yield* threads("archive", "--undo", threadId)
    yield* threads("delete", threadId)
    assert.notInclude(yield* threads("list", "--all"), threadId)
    for (const [name = "", ...more] of [["show"], ["fork"], ["rename", "title"], ["archive"], ["delete"]]) {
      const lost = yield* said(["threads", name, ...program, unknown, ...more], 1)
      assert.match(lost, /^zain: The agent has no conversation/)
    }
    const lost = yield* said(home.prompt("codex", "⟦zain:say#late no⟧", "--fork", unknown), 1)
    assert.include(lost, "The agent has no conversation")
  })

  inHome("exits with 2 for wrong usage", function* (home) {
    const limited = yield* ended(2, home.here(["threads", "list", "--limit", "0"]))
    assert.include(limited.errors(), "must be from 1 to 100")
    yield* ended(2, home.here(["threads", "show"]))
  })
})
