/**
 * Each failure of a tool and each refusal of a call as an MCP client reads it on the wire; after each, the next call works.
 */
import { assert, describe } from "@effect/vitest"
import type { UnityFault } from "@zain/editor-unity/fake/FakeUnity"
import type { LoopFault } from "@zain/editor-unity-loop/fake/FakeUnityLoop"
import { test } from "@zain/testkit/Test"
import * as ByHand from "../../editor-link/testing/ByHand.ts"
import * as Editors from "../../editor-link/testing/Editors.ts"
import { fakeProfiles } from "./FakeProfiles.ts"
import { begin, check, type Expected, eventually, garbage, refused } from "./Provoked.ts"

const ofEditor = { category: "tool", delivery: "answered" } as const
const toolError = { ...ofEditor, code: "TOOL_EXECUTION_ERROR", reason: "editor" } as const

describe("a failure of the editor", () => {
  test.each<readonly [LoopFault, Partial<Expected>, object]>([
    [
      "internal-error",
      { words: ["NullReferenceException: the fake editor failed"] },
      { type: "internal_error", message: "NullReferenceException: the fake editor failed" },
    ],
    ["request-timeout", { words: ["It took too long"] }, { type: "internal_error" }],
    ["cause-in-message", { words: ["The value of MaxDepth is not a number"] }, { type: "internal_error" }],
    ["error-id-null", { words: ["The request could not be read."] }, { type: "internal_error" }],
    [
      "security-blocked",
      {
        reason: "security-blocked",
        words: ["get-hierarchy is blocked", "Allow it in Unity, in the Security Settings of uLoopMCP's window"],
      },
      { type: "security_blocked", command: "get-hierarchy" },
    ],
  ])(
    "unity-loop: %s has Unity's own words and data on the wire (editors 000.10, 000.21)",
    function* ([fault, expected, details]) {
      const { call, fake, unity, works } = yield* begin("unity-loop")
      yield* works
      ;(unity.control.fault as (name: LoopFault) => void)(fault)
      const answer = yield* call(fake.reading)
      check(answer, { ...toolError, retryable: false, words: [], ...expected })
      assert.notInclude(ByHand.textOf(answer), "Internal error")
      assert.deepInclude(ByHand.failureOf(answer)?.details, details)
      yield* works
    },
  )

  const { code } = toolError
  test.each<readonly [UnityFault, code: string, text: string, details?: object]>([
    ["status-error", "CONFIRMATION_REQUIRED", "Confirm the change first", { confirm: "confirmChanges" }],
    ["play-mode-blocked", "PLAY_MODE_BLOCKED", "Not possible in play mode Call stop_game first."],
    ["null-error", "INTERNAL_ERROR", "Unity reported a failure without a message."],
    ["error-id-null", code, "JSON parsing error: Unexpected character"],
    ["parse-error", code, "Invalid command format"],
    ["result-error", "NOT_FOUND", "GameObject not found: /Nothing", { path: "/Nothing" }],
    ["result-error-object", code, "Group not found Create the group first", { groupName: "Levels" }],
    ["result-success-false", code, "Key not found: F99"],
    ["result-success-false-message", code, "Addressables is not installed Install com.unity.addressables"],
    ["result-status-error", "RUNNER_TIMEOUT", "The runner stopped"],
    ["result-data-success-false", code, "Build failed: no scenes"],
  ])(
    "unity: %s has Unity's own words, code and details on the wire (editors 004.13, 004.22, 000.21)",
    function* ([fault, code, text, details = {}]) {
      const { call, fake, unity, works } = yield* begin("unity")
      yield* works
      ;(unity.control.fault as (name: UnityFault) => void)(fault)
      const answer = yield* call(fake.writing("x"))
      check(answer, { ...toolError, code, retryable: false, words: [] })
      assert.strictEqual(ByHand.textOf(answer), text)
      assert.deepInclude(ByHand.failureOf(answer)?.details, details)
      yield* works
    },
  )
})

const invalid = { code: "VALIDATION_ERROR", category: "validation", delivery: "not-sent", retryable: true } as const

describe("a call that is refused", () => {
  test.each([
    ["unity-loop", "get-hierarchie", "get-hierarchy"],
    ["unity", "get_hierarchie", "get_hierarchy"],
  ] as const)(
    "%s: an unknown tool is a result with similar names, and the editor receives nothing (editors 000.16, 004.17)",
    function* ([profile, name, near]) {
      const { call, requests, works } = yield* begin(profile)
      yield* works
      const before = requests().length
      const words = [JSON.stringify(name), `Similar names: ${near}`]
      check(yield* call([name, {}]), { ...invalid, reason: "unknown-tool", words })
      assert.strictEqual(requests().length, before)
      yield* works
    },
  )

  test("unity: wrong arguments are a result with their path from 2025-11-25 on, and the editor receives nothing (editors 000.21, 004.25)", function* () {
    const { call, requests, works } = yield* begin("unity")
    yield* works
    const before = requests().length
    const answer = yield* call(["create_gameobject", { name: "x", position: { x: "left" } }])
    check(answer, { ...invalid, reason: "arguments", words: ["create_gameobject: ", "position.x"] })
    assert.strictEqual(requests().length, before)
    yield* works
  })

  test.each(["2024-11-05", "2025-03-26", "2025-06-18"])(
    "unity: wrong arguments are -32602 with their path in a session of %s, and the editor receives nothing (editors 000.21)",
    function* (protocolVersion) {
      const { requests, server } = yield* begin("unity")
      const client = yield* ByHand.client(server, { protocolVersion })
      yield* client.call("ping", {})
      const before = requests().length
      const { error, result } = yield* client.call("create_gameobject", { name: "x", position: { x: "left" } })
      assert.deepStrictEqual([error?.code, result], [-32_602, undefined])
      assert.include(error?.message, "position.x")
      assert.strictEqual(requests().length, before)
      check(yield* client.call("no_such", {}), { ...invalid, reason: "unknown-tool", words: [] })
    },
  )

  test("a request larger than --max-frame is refused before it is sent (editors 000.24)", function* () {
    const { call, requests, works } = yield* begin("unity", { maxFrame: 524_288 })
    yield* works
    const before = requests().length
    const text = "x".repeat(524_288)
    const answer = yield* call(["ping", { message: text }])
    const words = ["was not sent", "more than 524288 bytes (--max-frame)"]
    check(answer, { ...invalid, reason: "too-large", words })
    assert.strictEqual(requests().length, before)
    yield* works
  })

  test("a call names one of several editors, and its failure repeats the name (editors 000.21)", function* () {
    const [left, right] = [yield* fakeProfiles.unity.start(), yield* fakeProfiles.unity.start()]
    const targets = [
      { name: "left", host: "127.0.0.1", port: left.port },
      { name: "right", host: "127.0.0.1", port: right.port },
    ]
    const { call } = yield* ByHand.client(yield* Editors.server(fakeProfiles.unity.profile, targets))
    const words = ["`editor` is missing or unknown", "left, right"]
    check(yield* call("get_hierarchy", {}), { ...invalid, reason: "arguments", words }, "")
    right.control.fault("negative-length")
    const failed = yield* call("create_gameobject", { editor: "right", name: "x" })
    check(failed, { ...garbage, retryable: false, words: [`127.0.0.1:${right.port}`] }, "right")
  })
})

describe("the order of the checks", () => {
  test("unity-loop: the connection is checked before the tool's existence (editors 000.21)", function* () {
    const { call, close, works } = yield* begin("unity-loop")
    yield* works
    yield* close("quit")
    check(yield* call(["no-such", {}]), { ...refused, reason: "refused", words: [] })
    yield* works
    check(yield* call(["no-such", {}]), { ...invalid, reason: "unknown-tool", words: [] })
  })

  test("unity: the tool's existence is checked first, then its arguments, then the connection (editors 000.21)", function* () {
    const { call, unity } = yield* begin("unity")
    yield* unity.control.quit
    check(yield* call(["no_such", { a: 1 }]), { ...invalid, reason: "unknown-tool", words: [] })
    check(yield* call(["get_hierarchy", { a: 1 }]), { ...invalid, reason: "arguments", words: [] })
    check(yield* call(["get_hierarchy", {}]), { ...refused, reason: "refused", words: [] })
  })
})

describe("a message that is no call", () => {
  test.each([
    ["no JSON", "oops", -32_700, null],
    ["no request", '{"jsonrpc":"2.0","id":9,"method":1}', -32_600, 9],
    ["an unknown method", '{"jsonrpc":"2.0","id":9,"method":"no/such"}', -32_601, 9],
    ["a feature that is absent", '{"jsonrpc":"2.0","id":9,"method":"prompts/list"}', -32_601, 9],
    ["a call without a name", '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{}}', -32_602, 9],
  ] as const)(
    "%s is answered with its code of JSON-RPC, and the next call works (editors 000.21)",
    function* ([, line, code, id]) {
      const { answers, say, works } = yield* begin("unity")
      say(line)
      yield* eventually(() => answers.some(({ error }) => error !== undefined))
      const answer = answers.find(({ error }) => error !== undefined)
      assert.deepStrictEqual([answer?.error?.code, answer?.id], [code, id])
      yield* works
    },
  )
})
