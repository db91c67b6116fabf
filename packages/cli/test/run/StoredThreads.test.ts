/**
 * `zain threads`, and `zain run --fork`.
 *
 * @see docs/guides/conversations.md
 */
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Home from "../../testing/run/Home.ts"
import { ended, inHome } from "../../testing/run/Home.ts"

const unknown = "00000000-0000-4000-8000-000000000000"

/** The command of an agent in a home, whose conversations are below it. */
const of = (home: Home.Home, agent: Home.AgentName) => {
  const env = { CLAUDE_CONFIG_DIR: join(home.path, "config") }
  const program = home.prompt(agent, "").slice(1, -1)
  return {
    prompt: (text: string, ...more: ReadonlyArray<string>) => home.run(home.prompt(agent, text, ...more), env),
    threads: (name: string, ...args: ReadonlyArray<string>) => home.run(["threads", name, ...program, ...args], env),
    terminal: (name: string, ...args: ReadonlyArray<string>) =>
      home.terminal(["threads", name, ...program, ...args], env),
  }
}

describe("zain threads", () => {
  for (const agent of Home.agents)
    inHome(`lists, prints, forks, names, archives and deletes conversations of ${agent}`, function* (home) {
      const { prompt, terminal, threads } = of(home, agent)
      yield* ended(0, prompt("⟦zain:say#one yes⟧"))
      const said = (args: ReadonlyArray<string>, code = 0) => {
        const [name = "", ...rest] = args
        return Effect.map(ended(code, threads(name, ...rest)), (zain) => (code === 0 ? zain.output() : zain.errors()))
      }
      const [{ firstPrompt, threadId }] = JSON.parse(yield* said(["list", "--json"])).threads
      assert.include(firstPrompt, "#one")
      assert.include(yield* said(["list"]), threadId)
      const shown = yield* said(["show", threadId])
      assert.match(shown, /^> ⟦zain:say#one yes⟧\nyes$/m)
      const { turn } = JSON.parse(yield* said(["show", threadId, "--json"]))
      const fork = (yield* said(["fork", threadId, "--turn", turn])).trim()
      const recalled = yield* ended(0, prompt("⟦zain:recall#two⟧", "--fork", fork))
      assert.deepStrictEqual(JSON.parse(recalled.output()), ["one", "two"])
      assert.strictEqual(JSON.parse(yield* said(["list", "--json"])).threads.length, 3)
      yield* said(["rename", threadId, "A title"])
      const table = yield* ended(0, terminal("list", "--all"))
      assert.include(Home.seen(table.output()), "A title")
      yield* said(["archive", threadId])
      assert.notInclude(yield* said(["list"]), threadId)
      assert.include(yield* said(["list", "--archived"]), threadId)
      yield* said(["archive", "--undo", threadId])
      yield* said(["delete", threadId])
      assert.notInclude(yield* said(["list", "--all"]), threadId)
      for (const args of [["show"], ["fork"], ["rename"], ["archive"], ["delete"]]) {
        const title = args[0] === "rename" ? ["title"] : []
        assert.match(yield* said([...args, unknown, ...title], 1), /^zain: The agent has no conversation/)
      }
      const lost = yield* ended(1, prompt("⟦zain:say#late no⟧", "--fork", unknown))
      assert.include(lost.errors(), "The agent has no conversation")
      yield* Home.untilEmpty(home)
    })

  inHome("exits with 2 for wrong usage", function* (home) {
    const { prompt, threads } = of(home, "codex")
    assert.include((yield* ended(2, threads("list", "--limit", "0"))).errors(), "must be from 1 to 100")
    yield* ended(2, threads("show"))
    const both = yield* ended(2, prompt("hello", "--fork", unknown, "--last"))
    assert.include(both.errors(), "--last and --fork exclude each other")
  })
})
