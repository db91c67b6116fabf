/**
 * `zain run --json`: lines that programs can rely on.
 */
import { assert, describe } from "@effect/vitest"
import { McpEvent } from "@zain/core/McpEvents"
import { McpResponse } from "@zain/core/McpResponse"
import * as Schema from "effect/Schema"
import { ended, inHome } from "../../testing/run/Home.ts"
import type * as InProcess from "../../testing/run/InProcess.ts"

const linesOf = (zain: InProcess.Ended) =>
  zain
    .output()
    .split("\n")
    .slice(0, -1)
    .map((line): Record<string, unknown> => JSON.parse(line))

const isEvent = Schema.is(McpEvent)
const isResponse = Schema.is(McpResponse)

describe("zain run --json", () => {
  inHome("begins with the session, ends with the result, and has the port's events between", function* (home) {
    const zain = yield* ended(0, home.here(home.prompt("codex", "Secretly ⟦zain:events#a1 2 piece⟧", "--json")))
    assert.strictEqual(zain.errors(), "")
    const [first, ...others] = linesOf(zain)
    const events = others.slice(0, -1)
    const { _tag, millis, ...response } = others.at(-1) ?? {}
    assert.deepInclude(first, { _tag: "SessionOpened", provider: "codex", cwd: home.work })
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
  })

  inHome("ends with the error and its advice, without its cause", function* (home) {
    const zain = yield* ended(1, home.here(home.prompt("codex", "⟦zain:hang#a1⟧", "--json", "--timeout", "1s")))
    const late = linesOf(zain).at(-1)?.["error"]
    assert.deepInclude(late, { _tag: "ConnectionUnavailable", reason: "deadline-exceeded", delivery: "unknown" })
    const absent = yield* ended(1, home.here(["run", "--provider", "codex", "--json", "hello"]))
    const [only, ...more] = linesOf(absent)
    assert.deepStrictEqual(more, [])
    assert.containsAllKeys(only, ["_tag", "error", "advice", "millis"])
    assert.hasAllKeys(only?.["error"], ["_tag", "reason", "message", "delivery"])
    assert.deepInclude(only?.["error"], { reason: "spawn-failed", delivery: "not-sent" })
  })

  inHome("has approvals and their decisions, and applies the approval options", function* (home) {
    const options = ["--json", "--approve-command", "touch approved"]
    const zain = yield* ended(0, home.here(home.prompt("claude-code", "⟦zain:approve#a1⟧", ...options)))
    const lines = linesOf(zain)
    const asked = lines.find((line) => line["_tag"] === "ApprovalAsked")
    const decided = lines.find((line) => line["_tag"] === "ApprovalDecided")
    assert.deepInclude(asked?.["request"], { kind: "command", command: "touch approved", cwd: home.work })
    assert.deepInclude(decided, { approvalId: asked?.["approvalId"], decision: { _tag: "Approve" } })
  })
})
