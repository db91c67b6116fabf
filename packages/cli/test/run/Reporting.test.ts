/**
 * Reports of a turn: on a terminal, and when reporting fails.
 */
import { stripVTControlCharacters } from "node:util"
import { assert, describe } from "@effect/vitest"
import { InMemoryMcpClient, McpApproval } from "@zain/core"
import type { McpEvent } from "@zain/core/McpEvents"
import { McpSessionId } from "@zain/core/McpSessionId"
import { test } from "@zain/testkit/Test"
import { Cause, Effect, Exit, Fiber } from "effect"
import picocolors from "picocolors"
import type { Output } from "../../src/Output.ts"
import type { Report } from "../../src/run/RunReport.ts"
import * as RunScreen from "../../src/run/RunScreen.ts"
import * as Turn from "../../src/run/Turn.ts"

const place = { sessionId: McpSessionId.make("00000000-0000-4000-8000-000000000000"), sequence: 1, turn: 1 }
const delta = (text: string): McpEvent => ({ _tag: "TextDelta", text, ...place })

/** A terminal whose two outputs are one, and what was written to it. */
const terminal = (columns = 80) => {
  let text = ""
  const print = (more: string) => {
    text += more
  }
  const output: Output = {
    isTerminal: true,
    canDraw: true,
    isPiped: false,
    columns: () => columns,
    rows: () => 24,
    paint: picocolors.createColors(false),
    isLost: () => false,
    write: (more) => Effect.sync(() => print(more)),
    print,
  }
  return { output, text: () => text }
}

const silent: Report = {
  opened: () => Effect.void,
  event: () => Effect.void,
  stored: Effect.void,
  warned: () => Effect.void,
  decided: () => Effect.void,
  question: (_, use) => use,
  interrupting: () => {},
  end: () => Effect.void,
}

const take = (report: Report, options: Parameters<typeof InMemoryMcpClient.make>[0]) =>
  Turn.take(
    { make: InMemoryMcpClient.make(options), config: InMemoryMcpClient.config },
    { request: { content: "hello" }, cwd: "/", policy: McpApproval.make(), report },
  )

describe("the screen", () => {
  test("never overwrites an unfinished line of an answer, also while the agent ends", function* () {
    const { output, text } = terminal()
    const screen = yield* RunScreen.make("Codex", output, output)
    yield* screen.event(delta("one"))
    screen.interrupting()
    assert.include(text(), "Codex is ending…")
    yield* screen.event(delta("two"))
    assert.isTrue(text().endsWith("two"), JSON.stringify(text()))
  })
})

describe("the status line, when standard output is", () => {
  test.each([
    ["a pipe", "is drawn no more after text that its reader prints at any later time", true],
    ["a file", "goes on", false],
  ] as const)("%s, %s", function* ([, , isPiped]) {
    const { output, text } = terminal()
    const screen = yield* RunScreen.make("Codex", { ...output, isTerminal: false, isPiped }, output)
    assert.match(text(), /Codex is starting…$/)
    yield* screen.event({ _tag: "Message", text: "one", ...place })
    const [, after = ""] = text().split("\r\u001b[Kone\n")
    assert.strictEqual(/is thinking…/.test(after), !isPiped)
    yield* screen.event({ _tag: "ToolStarted", toolId: "1", name: "Bash", title: "npm test", ...place })
    assert.strictEqual(/Codex: npm test$/.test(text()), !isPiped)
  })
})

describe("the output of a failed tool", () => {
  test("is shown by its end, with a mark if it is cut", function* () {
    const shown = Effect.fnUntraced(function* (output: string) {
      const { output: screen, text } = terminal()
      const { event } = yield* RunScreen.make("Codex", screen, screen)
      yield* event({ _tag: "ToolFinished", toolId: "1", name: "make", isError: true, output, ...place })
      return /✗ make: (.*)/.exec(text())?.[1]
    })
    assert.strictEqual(yield* shown("no such\nfile"), "no such file")
    assert.strictEqual(yield* shown(`${"x".repeat(300)}the end`), `…${"x".repeat(192)}the end`)
    assert.strictEqual(yield* shown(`first${" ".repeat(5_000)}the end`), "…the end")
  })
})

describe("what an agent does beside its answer", () => {
  test.each([
    [40, "▸ Write down what each of the many\n  programs needs\n"],
    [80, "▸ Write down what each of the many programs needs\n"],
  ] as const)("is shown in lines that fit, on %s columns (docs/guides/command-line.md)", function* ([columns, step]) {
    const { output, text } = terminal(columns)
    const { event } = yield* RunScreen.make("Codex", output, output)
    const plan = [
      { text: "Read", state: "completed" },
      { text: "Write down what each of the many programs needs", state: "in-progress" },
      { text: "Rest\u001b[2J", state: "pending" },
    ] as const
    yield* event({ _tag: "Plan", steps: plan, ...place })
    yield* event({ _tag: "Reasoning", text: "It is simple.", ...place })
    yield* event({ _tag: "Reasoning", text: "A sub-agent thinks.", parent: "1", ...place })
    yield* event({
      _tag: "FileChanged",
      path: "a.ts",
      kind: "update",
      diff: "@@ -1,2 +1,3 @@\n-a\n+b\n+c\n d\n",
      ...place,
    })
    yield* event({ _tag: "FileChanged", path: "b", kind: "move", movedTo: "c", diff: "", ...place })
    yield* event({ _tag: "SubagentStarted", agentId: "1", title: "Find it", ...place })
    yield* event({ _tag: "Compacted", ...place })
    yield* event({ _tag: "ModelChanged", from: "big", to: "small", why: "overloaded", ...place })
    for (const used of [79, 91]) {
      yield* event({ _tag: "RateLimit", window: "primary", used, resetsAt: Date.UTC(2100, 0, 1, 9, 30), ...place })
    }
    const shown = stripVTControlCharacters(text())
      .replace(/\r|[\u2800-\u28ff] Codex is \w+…/g, "")
      .replace(/\n {2}/g, " ")
    assert.strictEqual(text().includes(step), true, text())
    assert.deepStrictEqual(shown.trimEnd().split("\n"), [
      "✓ Read",
      "▸ Write down what each of the many programs needs",
      "· Rest\\u{1b}[2J",
      "│ It is simple.",
      "Changed a.ts +2 −1",
      "Moved b → c +0 −0",
      "• Sub-agent: Find it",
      "• The conversation was shortened to fit the model.",
      "! small answers in place of big: overloaded",
      "! 91 % of the limit primary are used, until 2100-01-01 09:30.",
    ])
  })
})

describe("a turn", () => {
  test("ends with the cause if an event cannot be reported", function* () {
    const report = { ...silent, event: () => Effect.die(new Error("no more paper")) }
    const exit = yield* Effect.exit(take(report, { reply: () => Effect.never }))
    assert.isTrue(Exit.isFailure(exit) && Cause.pretty(exit.cause).includes("no more paper"), String(exit))
  })

  test("fails if its result cannot be reported", function* () {
    const event: Report["event"] = ({ _tag }) => (_tag === "TurnCompleted" ? Effect.die("no more paper") : Effect.void)
    const exit = yield* Effect.exit(take({ ...silent, event }, {}))
    assert.isTrue(Exit.isFailure(exit))
  })

  test("closes its session before it reports the result, so that no agent waits for a reader", function* () {
    const log: Array<string> = []
    const made = InMemoryMcpClient.make().pipe(
      Effect.map((client) => ({
        ...client,
        closeSession: (id: McpSessionId) =>
          Effect.tap(client.closeSession(id), () => Effect.sync(() => log.push("closed"))),
      })),
    )
    const event: Report["event"] = ({ _tag }) =>
      _tag === "TurnCompleted"
        ? Effect.sync(() => log.push("reported")).pipe(Effect.delay("1 second"), Effect.asVoid)
        : Effect.void
    const task = { request: { content: "hello" }, cwd: "/", policy: McpApproval.make(), report: { ...silent, event } }
    const taken = yield* Effect.forkChild(Turn.take({ make: made, config: InMemoryMcpClient.config }, task))
    yield* Effect.repeat(Effect.yieldNow, { until: () => log.length > 0 })
    assert.deepStrictEqual(log, ["closed"])
    yield* Fiber.interrupt(taken)
  })
})
