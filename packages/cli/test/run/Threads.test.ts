/**
 * Continued conversations (`zain run --thread`, `--last`), and the default agent.
 *
 * @see docs/guides/command-line.md
 */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as LastThread from "../../src/run/LastThread.ts"
import * as Home from "../../testing/run/Home.ts"
import { ended, inHome } from "../../testing/run/Home.ts"
import * as InProcess from "../../testing/run/InProcess.ts"

const threadOf = (zain: InProcess.Ended) =>
  /^Thread (\S+): --thread or --last continues it$/m.exec(zain.errors())?.[1] ?? assert.fail(zain.errors())

const kept = (home: Home.Home) => join(home.path, ".local/state/zain/last-threads")

/** A directory on PATH with these agents. */
const path = (home: Home.Home, ...programs: ReadonlyArray<string>) => {
  const bin = join(home.path, ["bin", ...programs].join("-"))
  mkdirSync(bin)
  for (const program of programs) symlinkSync(join(home.path, program), join(bin, program))
  return { PATH: `${bin}:/usr/bin:/bin` }
}

describe("a conversation of zain run", () => {
  inHome("continues by --thread and --last after any end of the run before", function* (home) {
    const agents = yield* InProcess.held("claude-code")
    const run = (code: number, text: string, ...options: ReadonlyArray<string>) =>
      ended(code, home.here(home.prompt("claude-code", text, ...options), {}, { agents }))
    const thread = threadOf(yield* run(0, "⟦zain:say#one yes⟧"))
    const recalls = Effect.fnUntraced(function* (key: string, ...options: ReadonlyArray<string>) {
      const zain = yield* run(0, `⟦zain:recall#${key}⟧`, ...options)
      return { thread: threadOf(zain), keys: JSON.parse(zain.output()) }
    })
    assert.deepStrictEqual(yield* recalls("two", "--last"), { thread, keys: ["one", "two"] })
    const other = yield* recalls("other")
    assert.deepStrictEqual(other.keys, ["other"])
    assert.deepStrictEqual((yield* recalls("three", "--thread", thread)).keys, ["one", "two", "three"])
    // The newest thread is the one that was continued last.
    assert.deepStrictEqual((yield* recalls("four", "--last")).thread, thread)
    const elsewhere = join(home.path, "elsewhere")
    mkdirSync(elsewhere)
    const failed = yield* run(1, "hello", "--last", "--cwd", elsewhere)
    assert.include(failed.errors(), `in ${elsewhere} yet. Omit --last`)
  })
  inHome("warns in each turn that nothing was remembered of a thread whose record was lost", function* (home) {
    const warning = /^(\S )?Zain has no record of this thread: .*give them again/m
    const thread = threadOf(yield* ended(0, home.here(home.prompt("codex", "⟦zain:say#one yes⟧"))))
    const again = home.prompt("codex", "⟦zain:say#two yes⟧", "--thread", thread)
    assert.notMatch((yield* ended(0, home.here(again))).errors(), warning)
    rmSync(join(home.path, ".local/state/zain/codex"), { recursive: true })
    for (const json of [[], ["--json"]]) {
      assert.match((yield* ended(0, home.here([...again, ...json]))).errors(), warning)
    }
  })

  inHome("can be continued from its first event, also when zain and its agent are killed", function* (home) {
    const killed = yield* home.run(home.prompt("codex", "⟦zain:hang#one⟧", "--json"))
    yield* killed.says("output", /"ThreadStarted"/)
    killed.kill("SIGKILL")
    yield* killed.exit
    yield* Home.untilEmpty(home)
    const zain = yield* ended(0, home.here(home.prompt("codex", "⟦zain:recall#two⟧", "--last")))
    assert.deepStrictEqual(JSON.parse(zain.output()), ["one", "two"])
  })

  inHome("that is lost is an error, and no prompt is sent, also with --json", function* (home) {
    const lost = ["--thread", "00000000-0000-4000-8000-000000000000"]
    const zain = yield* ended(1, home.here(home.prompt("codex", "⟦zain:say#one yes⟧", ...lost)))
    assert.match(zain.errors(), /✗ .*conversation/)
    const json = yield* ended(1, home.here(home.prompt("codex", "⟦zain:say#one yes⟧", ...lost, "--json")))
    const { error } = JSON.parse(json.output())
    assert.deepInclude(error, { _tag: "SessionClosed", reason: "conversation-lost", delivery: "not-sent" })
  })

  inHome("is stored by its directory's real path, readable for its owner alone", function* (home) {
    const link = join(home.path, "link")
    symlinkSync(home.work, link)
    yield* LastThread.make("codex", link, { HOME: home.path }).put("thread-1")
    const { get } = LastThread.make("codex", home.work, { HOME: home.path })
    assert.strictEqual(yield* get, "thread-1")
    assert.isUndefined(yield* LastThread.make("claude-code", home.work, { HOME: home.path }).get)
    const [file = ""] = readdirSync(kept(home))
    assert.strictEqual(statSync(join(kept(home), file)).mode & 0o777, 0o600)
    assert.strictEqual(statSync(kept(home)).mode & 0o777, 0o700)
    assert.strictEqual(readFileSync(join(kept(home), file), "utf8"), "thread-1")
    writeFileSync(join(kept(home), file), "--model=evil\n")
    assert.isUndefined(yield* get)
    // An invalid id is neither stored nor used, and the thread before it is not the newest any more.
    yield* Effect.flip(LastThread.make("codex", home.work, { HOME: home.path }).put("../x y"))
    assert.lengthOf(readdirSync(kept(home)), 0)
  })

  inHome("that cannot be stored is not promised, and --last fails", function* (home) {
    const agents = yield* InProcess.held("codex")
    const run = (code: number, ...more: ReadonlyArray<string>) =>
      ended(code, home.here(home.prompt("codex", "⟦zain:say#one yes⟧", ...more), {}, { agents }))
    threadOf(yield* run(0))
    const state = join(home.path, ".local/state/zain")
    renameSync(join(state, "last-threads"), join(state, "before"))
    writeFileSync(join(state, "last-threads"), "")
    const why = `${state}/last-threads cannot be written (EEXIST: file already exists). Set XDG_STATE_HOME`
    for (const json of [[], ["--json"]]) {
      const second = yield* run(0, ...json)
      assert.include(second.errors(), `--last does not continue this thread: ${why}`)
      if (json.length === 0) assert.match(second.errors(), /^Thread \S+: --thread continues it$/m)
      const last = yield* run(1, "--last", ...json)
      assert.include(`${last.errors()}${last.output()}`, `--last: the newest thread is not known, because ${why}`)
    }
  })

  inHome("is deleted when 500 newer ones are stored", function* (home) {
    const { get, put } = LastThread.make("codex", home.work, { HOME: home.path })
    yield* put("thread-1")
    for (let at = 0; at < 520; at++) {
      writeFileSync(join(kept(home), `old-${at}`), "thread-0")
      utimesSync(join(kept(home), `old-${at}`), 0, at)
    }
    yield* put("thread-2")
    assert.lengthOf(readdirSync(kept(home)), 500)
    assert.notInclude(readdirSync(kept(home)), "old-0")
    assert.strictEqual(yield* get, "thread-2")
  })
})

describe("zain run without --provider", () => {
  inHome("selects the only agent, and prints which", function* (home) {
    const zain = yield* ended(0, home.here(["run", "⟦zain:say#a1 hello⟧"], path(home, "claude")))
    assert.strictEqual(zain.output(), "hello\n")
    assert.match(zain.errors(), /^Claude Code is the only agent here\.\n/)
  })

  inHome("requires a choice between two agents, and prints install commands if there is none", function* (home) {
    const two = yield* ended(2, home.here(["run", "hello"], path(home, "codex", "claude")))
    assert.include(two.errors(), "Choose: --provider codex or --provider claude-code.")
    const none = yield* ended(1, home.here(["run", "hello"]))
    assert.include(none.errors(), "No agent is on PATH. Install one: npm install --global @openai/codex, or ")
    const named = yield* ended(2, home.here(["run", "--command", "codex", "hello"]))
    assert.include(named.errors(), "--command requires --provider")
  })
})
