/**
 * Each failure of a connection as an MCP client reads it on the wire; after each, nothing is lost and the next call works.
 */
import { assert, describe } from "@effect/vitest"
import type { CommonFault } from "@zain/editor-link/fake/EditorFault"
import type { EditorSettings } from "@zain/editor-link/infrastructure/mcp/EditorSettings"
import { listening } from "@zain/testkit/Listening"
import { test } from "@zain/testkit/Test"
import { Duration } from "effect"
import * as TestClock from "effect/testing/TestClock"
import * as ByHand from "../../editor-link/testing/ByHand.ts"
import * as Editors from "../../editor-link/testing/Editors.ts"
import * as UnacceptingListener from "../../editor-link/testing/UnacceptingListener.ts"
import { type FakeProfile, fakeProfiles } from "./FakeProfiles.ts"
import { begin, check, type Expected, eventually, garbage, lost, mebibytes, profileNames, refused } from "./Provoked.ts"

const unknownOutcome = ["during the call", "outcome is unknown", "check the state of the editor before calling again"]
const overLimit = { ...lost, reason: "over-limit" } as const
/** The faults of both fakes, and what they come to. */
const rows: ReadonlyArray<{
  readonly fault: CommonFault
  readonly settings?: Partial<EditorSettings>
  readonly expected: Omit<Expected, "retryable">
}> = [
  { fault: "reload-in-call", expected: { ...lost, words: unknownOutcome } },
  { fault: "quit", expected: { ...lost, words: unknownOutcome } },
  { fault: "close-mid-frame", expected: { ...lost, words: ["closed the connection", ...unknownOutcome] } },
  { fault: "negative-length", expected: { ...garbage, words: ["invalid message", "-1", "opened anew"] } },
  { fault: "zero-length", expected: { ...garbage, words: ["invalid message", "0", "opened anew"] } },
  { fault: "huge-length", expected: { ...garbage, words: ["invalid message", "2147483647", "opened anew"] } },
  { fault: "bad-header", expected: { ...garbage, words: ["invalid message", "opened anew"] } },
  { fault: "no-json", expected: { ...garbage, words: ["no JSON", "opened anew"] } },
  { fault: "other-protocol", expected: { ...garbage, words: ["HTTP", "opened anew"] } },
  {
    fault: "big-answer",
    settings: { maxFrame: 4 * mebibytes },
    expected: { ...overLimit, words: ["more than 4194304", "The call was done", "--max-frame"] },
  },
  { fault: "deep-json", expected: { ...overLimit, words: ["nested more than 256 levels deep", "The call was done"] } },
]
const ofProfiles = profileNames.flatMap((profile) => rows.map((row) => ({ profile, ...row })))

describe("a call that was sent fails", () => {
  test.each(ofProfiles)(
    "$profile: $fault fails the call with its cause and what to do, and the next call works (editors 000.9, 000.21, 004.11)",
    function* ({ expected, fault, profile, settings }) {
      const { call, fake, unity, works } = yield* begin(profile, settings)
      yield* works
      unity.control.fault(fault)
      const answer = yield* call(fake.writing("x"))
      check(answer, { ...expected, retryable: false })
      yield* works
    },
  )
})

describe("a call whose answer has a length that is too large", () => {
  test.each(profileNames)(
    "%s: fails at its deadline with the frame that is not whole, and the next call works (editors 000.9, 004.11)",
    function* (profile) {
      const { answers, begin: start, fake, losses, unity, works } = yield* begin(profile)
      yield* works
      unity.control.fault("long-length")
      const id = start(...fake.writing("x"))
      const answerOf = () => answers.find((answer) => answer.id === id)
      yield* eventually(() => answerOf() !== undefined, TestClock.adjust("1 second"))
      const words = ["invalid message: a frame of 10", "did not arrive whole before a call timed out", "opened anew"]
      check(answerOf() ?? assert.fail("no answer"), { ...garbage, retryable: false, words })
      assert.strictEqual(losses(), 1)
      yield* works
    },
  )
})

/** Unity's own list is empty while Unity was never there, or is closed. */
const staysOf = (profile: string) => [
  "tried again.",
  ...(profile === "unity" ? ["tried again. The tools stay listed."] : []),
]

describe("a call without an editor", () => {
  test.each(profileNames)(
    "%s: a refused connection fails the call with the address, and how to start the editor's side (editors 000.21)",
    function* (profile) {
      const { call, close, fake, unity, works } = yield* begin(profile)
      yield* works
      yield* close("quit")
      const at = `127.0.0.1:${unity.port}`
      yield* TestClock.adjust("20 seconds")
      const answer = yield* call(fake.writing("x"))
      const place = profile === "unity" ? "settings of its MCP server" : "window of uLoopMCP"
      const words = [`at ${at}: connection refused`, "Open the project in Unity", place, ...staysOf(profile)]
      check(answer, { ...refused, reason: "refused", words })
      yield* works
    },
  )

  test.each(profileNames)(
    "%s: a connection that is not accepted within 3 s fails the call, with the same advice (editors 000.21)",
    function* (profile) {
      const port = yield* UnacceptingListener.start
      const fake: FakeProfile = fakeProfiles[profile]
      const server = yield* Editors.server(fake.profile, [{ host: "127.0.0.1", port }], { connectWait: Duration.zero })
      const client = yield* ByHand.client(server)
      const id = client.begin(...fake.writing("x"))
      yield* eventually(() => client.answers.some((answer) => answer.id === id), TestClock.adjust(100))
      const words = [`127.0.0.1:${port}`, "timed out after 3 s", "Open the project in Unity", ...staysOf(profile)]
      check(yield* client.answer(id), { ...refused, reason: "connect-timeout", words })
    },
  )

  test.each(profileNames)(
    "%s: a peer of another protocol fails the call with what was seen instead (editors 000.21)",
    function* (profile) {
      const { call, close, fake, unity, works } = yield* begin(profile)
      yield* works
      yield* close("reload")
      unity.control.fault("other-protocol", { times: Number.POSITIVE_INFINITY })
      yield* unity.control.reopen
      yield* TestClock.adjust("20 seconds")
      const answer = yield* call(fake.writing("x"))
      const words = ["is not Unity", "it sent", "HTTP", "--editor HOST:PORT"]
      check(answer, { ...refused, reason: "not-this-editor", words })
      yield* works
    },
  )

  test.each(profileNames)(
    "%s: an editor with another project open fails the call with both projects (editors 000.21, 000.25)",
    function* (profile) {
      const { call, close, fake, unity, works } = yield* begin(profile, { project: "/projects/FakeGame" })
      yield* works
      yield* close("reload")
      unity.control.fault("wrong-project", { times: Number.POSITIVE_INFINITY })
      yield* unity.control.reopen
      yield* TestClock.adjust("20 seconds")
      const answer = yield* call(fake.writing("x"))
      const words = ["has the project /projects/AnotherGame open", "--project allows /projects/FakeGame alone"]
      check(answer, { ...refused, reason: "wrong-project", words })
      yield* works
    },
  )
})

describe("a call whose editor does not answer", () => {
  test.each(profileNames)(
    "%s: an editor that is away longer than the grace fails the call, which may be repeated (editors 000.21)",
    function* (profile) {
      const { begin: ask, answer, close, fake, works } = yield* begin(profile)
      yield* works
      yield* close("reload")
      const id = ask(...fake.writing("x"))
      yield* Editors.turns
      yield* TestClock.adjust("20 seconds")
      const words = ["did not return within 20 s (--grace)", "not sent: calling again is safe", ...staysOf(profile)]
      const away = { ...refused, code: "CONNECTION_ERROR", reason: "away", words }
      check(yield* answer(id), away)
      yield* works
    },
  )

  test("unity: a loss of a call and of its repetition fails it, and it may be repeated if it only reads (editors 000.21, 004.23)", function* () {
    const { begin: ask, answer, fake, losses, unity, works } = yield* begin("unity")
    yield* works
    unity.control.fault("reload-in-call", { times: 2 })
    const id = ask(...fake.reading)
    yield* eventually(() => losses() === 1)
    yield* TestClock.adjust("1 second")
    const failure = { ...lost, retryable: true, words: unknownOutcome }
    check(yield* answer(id), failure)
    assert.strictEqual(losses(), 2)
    yield* works
  })

  test.each([
    ["unity-loop", 180],
    ["unity", 30],
  ] as const)(
    "%s: a deadline fails the call with the limit, its option, and that the work may go on (editors 000.21)",
    function* ([profile, seconds]) {
      const { answer, answers, begin: ask, fake, requests, unity, works } = yield* begin(profile)
      yield* works
      const before = requests().length
      unity.control.fault("silence")
      const id = ask(...fake.writing("x"))
      yield* eventually(() => requests().length > before)
      yield* TestClock.adjust(seconds * 1_000 - 1)
      yield* Editors.turns
      assert.isFalse(answers.some((one) => one.id === id))
      yield* TestClock.adjust(1)
      const words = [`timed out after ${seconds} s (--timeout)`, "may still be running it", "check its state"]
      const timeout = { code: "OPERATION_TIMEOUT", category: "tool", reason: "timeout", delivery: "unknown" } as const
      check(yield* answer(id), { ...timeout, retryable: false, words })
      yield* works
    },
  )

  test("call 1,025 fails unsent, and the 1,024 before it are answered (editors 000.21, 000.24)", function* () {
    const { answer, begin: ask, call, fake, unity, works } = yield* begin("unity-loop")
    yield* works
    unity.control.hold()
    const ids = Array.from({ length: 1_024 }, () => ask(...fake.reading))
    const busy = { ...refused, code: "CONNECTION_ERROR", reason: "busy", words: ["1024 calls are waiting", "safe"] }
    check(yield* call(fake.writing("x")), busy)
    unity.control.release()
    for (const id of ids) assert.include(ByHand.textOf(yield* answer(id)), fake.shows)
    yield* works
  })
})

describe("an answer that is no frame", () => {
  const nothing = (id: string) => `Content-Length: ${id.length + 37}\r\n\r\n{"jsonrpc":"2.0","id":"${id}","result":{}}`
  const tools = (id: string) =>
    `Content-Length: ${id.length + 60}\r\n\r\n{"jsonrpc":"2.0","id":"${id}","result":{"Tools":[{"name":"go"}]}}`

  test("unity-loop: text without a header fails the call, and the next call works (editors 000.9, 000.21)", function* () {
    const answers: Array<(id: string) => string> = [nothing, tools, () => "this is garbage", nothing, tools, nothing]
    const port = yield* listening((socket) =>
      socket
        .on("error", () => {})
        .on("data", (data) => {
          const id = /"id":"(.*?)"/.exec(data.toString())?.[1] ?? ""
          socket.write(answers.shift()?.(id) ?? "")
        }),
    )
    const { profile } = fakeProfiles["unity-loop"]
    const client = yield* ByHand.client(yield* Editors.server(profile, [{ host: "127.0.0.1", port }]))
    const id = client.begin("go")
    yield* eventually(() => answers.length === 3)
    yield* eventually(() => client.answers.some((answer) => answer.id === id), TestClock.adjust(10))
    const words = ['no header: "this is garbage"', "opened anew"]
    check(yield* client.answer(id), { ...garbage, retryable: false, words })
    assert.strictEqual(ByHand.textOf(yield* client.call("go")), "{}")
  })
})
