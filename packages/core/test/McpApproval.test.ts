/** Who decides what agents may do: rules, then a callback with a deadline, and no word of either means no. */
import { assert, describe, it } from "@effect/vitest"
import { McpApproval } from "@zain/core"
import type { McpApprovalEntry, McpApprovalRequest, McpApprovalRule, Options } from "@zain/core/McpApproval"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { start } from "./HeldAgent.ts"

const { approve, approveForSession, decline } = McpApproval
const asker = { provider: "test", sessionId: "00000000-0000-4000-8000-000000000000" as McpSessionId, turn: 1 }
const command = (line: string): McpApprovalRequest => ({
  kind: "command",
  message: "May I?",
  command: line,
  cwd: "/srv",
})
const change = (...paths: ReadonlyArray<string>): McpApprovalRequest => ({
  kind: "file-change",
  message: "May I?",
  cwd: "/srv/project",
  paths,
})

/** What a policy of these options says, in a word, and what its log heard. */
const ask = (options: Options, request: McpApprovalRequest = command("git status")) =>
  Effect.gen(function* () {
    const log: Array<McpApprovalEntry> = []
    const policy = McpApproval.make({ log: (entry) => void log.push(entry), ...options })
    const decision = yield* policy(request, asker)
    const [entry] = log
    return { decision, said: decision._tag, by: entry?.by, entry, log }
  })

const byRule = (rules: ReadonlyArray<McpApprovalRule>, request: McpApprovalRequest) =>
  Effect.map(ask({ rules }, request), ({ by, said }) => (by === "rule" ? said : by))

describe("the default policy (design §5: decline everything; promise 23)", () => {
  it.effect("declines, with a reason for the agent", () =>
    Effect.gen(function* () {
      const { by, decision } = yield* ask({})
      assert.strictEqual(by, "default")
      assert.deepStrictEqual(decision, decline())
      assert.match(decline()._tag === "Decline" ? JSON.stringify(decline()) : "", /Declined by the policy/)
      const inPlace = yield* McpApproval.McpApproval
      assert.strictEqual((yield* inPlace(command("ls"), asker))._tag, "Decline")
    }),
  )
})

describe("rules (design §5)", () => {
  it.effect("the first that matches decides; one without conditions matches all", () =>
    Effect.gen(function* () {
      const rules: ReadonlyArray<McpApprovalRule> = [
        { kind: "file-change", answer: { decline: "Only read." } },
        { command: "git status", answer: "approve-for-session" },
        { answer: approve },
      ]
      assert.deepStrictEqual((yield* ask({ rules }, change("a"))).decision, decline("Only read."))
      assert.strictEqual(yield* byRule(rules, command("git status")), "ApproveForSession")
      assert.strictEqual(yield* byRule(rules, command("rm -rf /")), "Approve")
    }),
  )

  it.effect.each([
    ["git status", "git status", true],
    ["git status", "git status; rm -rf .", false],
    ["git status", "git status\nrm -rf .", false],
    [/git (status|diff)/, "git diff", true],
    [/git (status|diff)/, "git diff; rm -rf .", false],
    [/git (status|diff)/, "cd / && git diff", false],
    [/git (status|diff)/gm, "git diff\nrm -rf .", false],
    [/^git status$/m, "git status\nrm -rf .", false],
    [/a|ab/, "ab", true],
    [/a|ab/, "abc", false],
    [/GIT STATUS/i, "git status", true],
  ] as const)("the command %s is all of %j, or no match: %s", ([wanted, line, matches]) =>
    Effect.gen(function* () {
      const rules: ReadonlyArray<McpApprovalRule> = [{ command: wanted, answer: "approve" }]
      const policy = McpApproval.make({ rules })
      // Twice: an expression with a memory would say something else the second time.
      for (const _ of [1, 2]) {
        assert.strictEqual((yield* policy(command(line), asker))._tag, matches ? "Approve" : "Decline")
      }
    }),
  )

  it.effect("a rule for commands or tools matches no request that names none", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* byRule([{ command: /.*/, answer: "approve" }], change("a")), "default")
      assert.strictEqual(yield* byRule([{ tool: /.*/, answer: "approve" }], command("ls")), "default")
      const tool = { kind: "tool", message: "May I?", tool: "WebFetch" } as const
      assert.strictEqual(yield* byRule([{ tool: "WebFetch", answer: "approve" }], tool), "Approve")
      assert.strictEqual(yield* byRule([{ tool: "Web", answer: "approve" }], tool), "default")
    }),
  )

  it.effect.each([
    [["/srv/project/a", "/srv/project/deep/b"], true],
    [["a", "./b", "c/../d"], true],
    [["/srv/project"], true],
    [["/srv/project/a", "/etc/passwd"], false],
    [["../a"], false],
    [["a/../../b"], false],
    [["/srv/project/../other"], false],
    [["/srv/projects/a"], false],
    [["/srv/project/a\\..\\..\\b"], false],
    [[], false],
  ] as const)("a rule within /srv/project holds for %j: %s", ([paths, matches]) =>
    Effect.gen(function* () {
      const said = yield* byRule([{ within: "/srv/project", answer: "approve" }], change(...paths))
      assert.strictEqual(said, matches ? "Approve" : "default")
    }),
  )

  it.effect.each([
    ["C:\\srv\\a", true],
    ["C:/srv/b", true],
    ["sub\\c", true],
    ["..\\c", false],
    ["C:\\srv\\..\\d", false],
    ["D:\\srv\\a", false],
    ["sub\\.. \\..\\x", false],
    ["D:x", false],
    ["/srv/a", false],
  ] as const)("and within C:\\srv for %j: %s", ([path, matches]) =>
    Effect.gen(function* () {
      const request = { ...change(path), cwd: "C:\\srv" }
      const said = yield* byRule([{ within: "C:\\srv", answer: "approve" }], request)
      assert.strictEqual(said, matches ? "Approve" : "default")
    }),
  )

  it.effect("a relative path without a directory to start from is nowhere", () =>
    Effect.gen(function* () {
      const { cwd: _, ...request } = change("a")
      assert.strictEqual(yield* byRule([{ within: "/", answer: "approve" }], request), "default")
      assert.strictEqual(yield* byRule([{ within: "/", answer: "approve" }], { ...request, cwd: "srv" }), "default")
    }),
  )

  it.effect("the directory of a command counts only for a rule that names the command too", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* byRule([{ within: "/srv", answer: "approve" }], command("rm -rf /")), "default")
      const named: McpApprovalRule = { command: /npm test/, within: "/srv", answer: "approve" }
      assert.strictEqual(yield* byRule([named], command("npm test")), "Approve")
      assert.strictEqual(yield* byRule([named], { ...command("npm test"), cwd: "/etc" }), "default")
    }),
  )

  it.effect.each([
    [[{ comand: "ls", answer: "approve" }], "`rules.0.comand` is not known here"],
    [[{ command: undefined, answer: "approve" }], "`rules.0.command` is not valid"],
    [[{ answer: "approve" }, { within: "project", answer: "approve" }], "`rules.1.within` is not valid"],
    [[{ answer: "yes" }], "`rules.0.answer` is not valid"],
    [[{ kind: "command" }], "`rules.0.answer` is missing"],
    [{ answer: "approve" }, "`rules` is not valid"],
  ] as const)("%j cannot be read: everything is declined, and the reason names the path", ([rules, problem]) =>
    Effect.gen(function* () {
      const { by, decision } = yield* ask({ rules: rules as never, ask: () => "approve" })
      assert.strictEqual(by, "failure")
      assert.include(JSON.stringify(decision), problem)
    }),
  )

  it.effect("and so is it for a deadline that is none", () =>
    Effect.gen(function* () {
      for (const deadline of ["soon", 0, "-1 seconds"]) {
        const { by, said } = yield* ask({ ask: () => "approve", deadline: deadline as never })
        assert.deepStrictEqual([by, said], ["failure", "Decline"])
      }
    }),
  )
})

describe("the callback (design §5)", () => {
  it.effect("hears what no rule decides, with who asks; its answer may be a value, a promise or an Effect", () =>
    Effect.gen(function* () {
      const heard: Array<unknown> = []
      const answers = ["approve", async () => "approve-for-session", Effect.succeed({ decline: "No." })] as const
      for (const answer of answers) {
        const { by, decision } = yield* ask({
          rules: [{ kind: "file-change", answer: "approve" }],
          ask: (request, { signal, ...who }) => {
            heard.push([request.command, who, signal.aborted])
            return (typeof answer === "function" ? answer() : answer) as never
          },
        })
        assert.strictEqual(by, "ask")
        heard.push(decision)
      }
      const said = ["git status", asker, false]
      assert.deepStrictEqual(heard, [said, approve, said, approveForSession, said, decline("No.")])
    }),
  )

  it.effect.each<readonly [string, () => unknown]>([
    ["throws", () => assert.fail("its own")],
    ["rejects", () => Promise.reject(new Error("its own"))],
    ["fails", () => Effect.fail("its own")],
    ["dies", () => Effect.die(new Error("its own"))],
    ["interrupts itself", () => Effect.interrupt],
    ["says true", () => true],
    ["says nothing", () => undefined],
    ["says a decision of nobody's", async () => ({ _tag: "Maybe" })],
    ["declines with a reason that is none", () => ({ decline: 7 })],
  ])("one that %s has declined, and nothing escapes (promise 7)", ([, answer]) =>
    Effect.gen(function* () {
      const { by, said } = yield* ask({ ask: answer as never })
      assert.deepStrictEqual([said, by], ["Decline", "failure"])
    }),
  )

  it.effect("has two minutes; then it is no, and its signal aborts (promise 23: its own deadline)", () =>
    Effect.gen(function* () {
      let signal: AbortSignal | undefined
      const asked = yield* start(
        ask({
          ask: (_, waiting) => {
            signal = waiting.signal
            return new Promise<never>(() => {})
          },
        }),
      )
      yield* TestClock.adjust("119 seconds")
      assert.isUndefined(asked.pollUnsafe())
      assert.isFalse(signal?.aborted)
      yield* TestClock.adjust("1 second")
      const { by, entry, said } = yield* Fiber.join(asked)
      assert.deepStrictEqual([said, by, entry?.tookMillis], ["Decline", "deadline", 120_000])
      assert.isTrue(signal?.aborted)
    }),
  )

  it.effect("is not waited for after its deadline, even when it cannot be interrupted", () =>
    Effect.gen(function* () {
      const asked = yield* start(ask({ ask: () => Effect.uninterruptible(Effect.never), deadline: "5 seconds" }))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(asked)).by, "deadline")
    }),
  )

  it.effect("an Effect of it runs with the clock of whoever asks, and may be late too", () =>
    Effect.gen(function* () {
      const slow = (wait: string) =>
        ask({ ask: () => Effect.as(Effect.sleep(wait as never), "approve"), deadline: 1_000 })
      const [fast, late] = [yield* start(slow("999 millis")), yield* start(slow("1001 millis"))]
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual([(yield* Fiber.join(fast)).by, (yield* Fiber.join(late)).by], ["ask", "deadline"])
    }),
  )
})

describe("the audit log (design §5)", () => {
  it.effect("has an entry for every decision: when, who, what was asked, what was said, by what, and how long", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      const asked = yield* start(ask({ ask: () => Effect.as(Effect.sleep(250), "approve") }))
      yield* TestClock.adjust(250)
      const { log } = yield* Fiber.join(asked)
      assert.deepStrictEqual(log, [
        { ...asker, at: 1_000, request: command("git status"), decision: approve, by: "ask", tookMillis: 250 },
      ])
    }),
  )

  it.effect("tells a question that nobody waits for any more, and stops asking", () =>
    Effect.gen(function* () {
      const log: Array<McpApprovalEntry> = []
      let stopped = 0
      const policy = McpApproval.make({
        ask: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => stopped++)),
        log: (entry) => void log.push(entry),
      })
      const asked = yield* start(policy(command("ls"), asker))
      yield* Fiber.interrupt(asked)
      assert.deepStrictEqual(
        log.map(({ by, decision }) => [by, decision._tag]),
        [["interrupted", "Decline"]],
      )
      assert.strictEqual(stopped, 1)
    }),
  )

  it.effect.each<readonly [string, () => unknown]>([
    ["throws", () => assert.fail("its own")],
    ["rejects", () => Promise.reject(new Error("its own"))],
    ["dies", () => Effect.die("its own")],
    ["never ends", () => Effect.never],
  ])("one that %s changes nothing, and is not waited for (promise 7)", ([, log]) =>
    Effect.gen(function* () {
      const { said } = yield* ask({ rules: [{ answer: "approve" }], log: log as never })
      assert.strictEqual(said, "Approve")
    }),
  )
})
