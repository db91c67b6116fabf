/**
 * `zain run --json`: lines that programs can rely on.
 */
import { assert, describe } from "@effect/vitest"
import { McpEvent } from "@zain/core/McpEvents"
import { McpResponse } from "@zain/core/McpResponse"
import * as Schema from "effect/Schema"
import * as Home from "../../testing/run/Home.ts"
import { ended, inHome } from "../../testing/run/Home.ts"

const linesOf = (zain: Home.Zain) =>
  zain
    .output()
    .split("\n")
    .slice(0, -1)
    .map((line): Record<string, unknown> => JSON.parse(line))

const isEvent = Schema.is(McpEvent)
const isResponse = Schema.is(McpResponse)

describe("zain run --json", () => {
  for (const agent of Home.agents)
    inHome(
      `begins with the session, ends with the result, and has the port's events of ${agent} between`,
      function* (home) {
        const zain = yield* ended(0, home.run(home.prompt(agent, "Secretly ⟦zain:events#a1 2 piece⟧", "--json")))
        assert.strictEqual(zain.errors(), "")
        const [first, ...others] = linesOf(zain)
        const events = others.slice(0, -1)
        const { _tag, millis, ...response } = others.at(-1) ?? {}
        assert.deepInclude(first, { _tag: "SessionOpened", provider: agent, cwd: home.work })
        assert.isNumber(first?.["millis"])
        for (const event of events) assert.isTrue(isEvent(event), JSON.stringify(event))
        const texts = events.filter((event) => event["_tag"] === "TextDelta").map((event) => event["text"])
        assert.deepStrictEqual(texts, ["piece1", " piece2"])
        assert.strictEqual(events[0]?.["_tag"], "TurnStarted")
        assert.strictEqual(events.at(-1)?.["_tag"], "TurnCompleted")
        assert.strictEqual(_tag, "Result")
        assert.isNumber(millis)
        assert.isTrue(isResponse(response))
        assert.deepInclude(response, { content: "piece1 piece2", isError: false, sessionId: first?.["sessionId"] })
        // Prompts may hold secrets, and go to logs with the lines.
        assert.notInclude(zain.output(), "Secretly")
      },
    )

  inHome("ends with the error and its advice, without its cause", function* (home) {
    const zain = yield* ended(1, home.run(home.prompt("codex", "⟦zain:hang#a1⟧", "--json", "--timeout", "1s")))
    const late = linesOf(zain).at(-1)?.["error"]
    assert.deepInclude(late, { _tag: "ConnectionUnavailable", reason: "deadline-exceeded", delivery: "unknown" })
    const absent = yield* ended(1, home.run(["run", "--provider", "codex", "--json", "hello"]))
    const [only, ...more] = linesOf(absent)
    assert.deepStrictEqual(more, [])
    assert.containsAllKeys(only, ["_tag", "error", "advice", "millis"])
    assert.hasAllKeys(only?.["error"], ["_tag", "reason", "message", "delivery"])
    assert.deepInclude(only?.["error"], { reason: "spawn-failed", delivery: "not-sent" })
  })

  inHome("ends with `Interrupted` after a signal", function* (home) {
    const zain = yield* home.run(home.prompt("claude-code", "⟦zain:hang#a1⟧", "--json"))
    yield* home.peer("claude-code").received("#a1")
    zain.kill("SIGINT")
    assert.strictEqual(yield* zain.exit, 130)
    assert.strictEqual(linesOf(zain).at(-1)?.["_tag"], "Interrupted")
    assert.include(zain.errors(), "Press Ctrl-C again to end at once.")
    yield* Home.untilEmpty(home)
  })

  inHome("has approvals and their decisions, and applies the approval options", function* (home) {
    const options = ["--json", "--approve-command", "touch approved"]
    const zain = yield* ended(0, home.run(home.prompt("claude-code", "⟦zain:approve#a1⟧", ...options)))
    const lines = linesOf(zain)
    const asked = lines.find((line) => line["_tag"] === "ApprovalAsked")
    const decided = lines.find((line) => line["_tag"] === "ApprovalDecided")
    assert.deepInclude(asked?.["request"], { kind: "command", command: "touch approved", cwd: home.work })
    assert.deepInclude(decided, { approvalId: asked?.["approvalId"], decision: { _tag: "Approve" } })
  })

  inHome("waits for a slow reader, and loses no line", function* (home) {
    const args = home.prompt("codex", "⟦zain:events#a1 5000 piece⟧", "--json")
    // More than a pipe buffers; the reader starts after the end.
    const zain = yield* home.run(args, {}, '{ "$@"; } | { read -r line; sleep 3; echo "$line"; cat; }')
    yield* zain.exit
    const lines = linesOf(zain)
    assert.strictEqual(lines[0]?.["_tag"], "SessionOpened")
    assert.strictEqual(lines.filter((line) => line["_tag"] === "TextDelta").length, 5_000)
    assert.strictEqual(lines.at(-1)?.["_tag"], "Result")
  })
})
