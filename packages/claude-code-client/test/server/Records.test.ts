/** Records of threads. */
import { randomUUID } from "node:crypto"
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as ClaudeCode from "../../testing/server/ClaudeCode.ts"

const quiet = ClaudeCode.recorder
const unknown = "00000000-0000-4000-8000-000000000000"

describe("the record of a thread of Claude Code", () => {
  test.live("is readable by its user only", function* () {
    const { home, threadId } = yield* ClaudeCode.thread({}, { baseInstructions: "secret" })
    const directory = join(home, ".local/state/zain/claude-code")
    assert.strictEqual(statSync(directory).mode & 0o777, 0o700)
    assert.deepStrictEqual(readdirSync(directory), [`${threadId}.json`])
    assert.strictEqual(statSync(join(directory, `${threadId}.json`)).mode & 0o777, 0o600)
  })

  test.live("is below XDG_STATE_HOME if that is an absolute path", function* () {
    const home = yield* directory
    const state = join(home, "state")
    const { start } = yield* (yield* ClaudeCode.agent(home, { env: { XDG_STATE_HOME: state } })).attach
    const threadId = yield* start({})
    assert.deepStrictEqual(readdirSync(join(state, "zain/claude-code")), [`${threadId}.json`])
  })

  test.live("is removed when 1,000 are newer", function* () {
    const { home, start } = yield* ClaudeCode.client()
    const directory = join(home, ".local/state/zain/claude-code")
    mkdirSync(directory, { recursive: true })
    for (let at = 0; at < 1_005; at++) {
      const path = join(directory, `${String(at).padStart(8, "0")}-0000-4000-8000-000000000000.json`)
      writeFileSync(path, "{}")
      utimesSync(path, at + 1, at + 1)
    }
    const threadId = yield* start({})
    const left = readdirSync(directory)
    assert.lengthOf(left, 1_000)
    assert.include(left, `${threadId}.json`)
    assert.isFalse(left.some((name) => name < "00000006"))
  })

  test.live("that is incomplete is removed, unless another process may be writing it", function* () {
    const { home, start } = yield* ClaudeCode.client()
    const directory = join(home, ".local/state/zain/claude-code")
    mkdirSync(directory, { recursive: true })
    const [old, young, other] = [`.${unknown}.${randomUUID()}`, `.${unknown}.${randomUUID()}`, ".somebody's"]
    for (const name of [old, young, other]) writeFileSync(join(directory, name), "{")
    const twoMinutesAgo = Date.now() / 1000 - 120
    for (const name of [old, other]) utimesSync(join(directory, name), twoMinutesAgo, twoMinutesAgo)
    const threadId = yield* start({})
    assert.sameMembers(readdirSync(directory), [young, other, `${threadId}.json`])
  })

  test.live("that cannot be written does not fail the thread", function* () {
    const { home, start, turn } = yield* ClaudeCode.client()
    writeFileSync(join(home, ".local"), "a file")
    const threadId = yield* start({})
    yield* turn(threadId, { prompt: "leave" }, quiet())
    assert.strictEqual((yield* turn(threadId, { prompt: "earlier" }, quiet())).content, '["leave"]')
  })

  test.live.each(["", "{", '{"cwd":7}', '{"cwd":"/","isKnown":true,"options":{"effort":"enormous"}}'])(
    "with the text %j is ignored",
    function* (content) {
      const { home, turn } = yield* ClaudeCode.thread()
      writeFileSync(join(home, `.local/state/zain/claude-code/${unknown}.json`), content)
      const error = yield* Effect.flip(turn(unknown, { prompt: "say x" }, quiet()))
      assert.strictEqual(error.reason, "unknown-thread")
    },
  )
})

describe("a thread of Claude Code without a record", () => {
  test.live("is resumed in the directory of its transcript", function* () {
    const { home, turn } = yield* ClaudeCode.client()
    const project = join(home, ".claude/projects/-somewhere")
    mkdirSync(project, { recursive: true })
    const conversation = { id: unknown, cwd: home, turns: [{ text: "hi", answers: [] }], changedAt: 0 }
    writeFileSync(join(ClaudeCode.conversations(home), `${unknown}.json`), JSON.stringify(conversation))
    const lines = [
      { type: "queue-operation", content: '{"cwd":"/wrong"}' },
      // Node's readline takes U+2028 for a line break.
      { type: "user", cwd: home, content: "one\u2028two" },
    ]
    writeFileSync(join(project, `${unknown}.jsonl`), lines.map((line) => JSON.stringify(line)).join("\n"))
    assert.strictEqual((yield* turn(unknown, { prompt: "earlier" }, quiet())).content, '["hi"]')
    assert.include(ClaudeCode.starts(home)[0]?.args ?? [], `--resume=${unknown}`)
  })

  test.live.each([
    "../../../../etc/passwd",
    `${unknown}/../x`,
    `${unknown}\0`,
    `${unknown} --settings`,
    "--continue",
    "",
    unknown,
  ])("is unknown with the id %j, and starts no process", function* (threadId) {
    const { home, turn } = yield* ClaudeCode.client()
    // The file that a path with such an id would lead to.
    mkdirSync(join(home, ".local/state/zain/claude-code"), { recursive: true })
    const record = JSON.stringify({ cwd: home, isKnown: true, options: {} })
    writeFileSync(join(home, ".local/state/zain/claude-code/x.json"), record)
    const error = yield* Effect.flip(turn(threadId, { prompt: "say x" }, quiet()))
    assert.strictEqual(error.reason, "unknown-thread")
    assert.notInclude(readdirSync(home), "starts.jsonl")
  })
})
