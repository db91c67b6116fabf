/**
 * The decision that the agent receives for each response of the client.
 */
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import type { ElicitResult } from "@modelcontextprotocol/sdk/types.js"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { until } from "../../tool-server/testing/InMemory.ts"
import { type Options, open } from "../testing/Clients.ts"

const canBeAsked = { capabilities: { elicitation: {} } }

/** The decision that the agent received. */
const decided = Effect.fnUntraced(function* (options: Options) {
  const { client } = yield* open(options)
  const { structuredContent } = yield* client.call("memory", { prompt: "ask rm -r build" })
  return JSON.parse((structuredContent as { readonly content: string }).content) as unknown
})

const declined = (reason: string) => ({ _tag: "Decline", reason })

describe("an approval", () => {
  test("is a form with optional fields and the exact command, and has the whole request in `_meta`", function* () {
    const { client } = yield* open({ ...canBeAsked, answer: () => ({ action: "accept" }) })
    yield* client.call("memory", { prompt: "ask rm -r build" })
    const { _meta, message, mode, requestedSchema } = client.asked[0]?.params ?? {}
    assert.deepStrictEqual([mode, message], ["form", "May it run?\nCommand: rm -r build"])
    assert.isUndefined((requestedSchema as { required?: unknown }).required)
    assert.deepNestedInclude(requestedSchema, {
      type: "object",
      "properties.forSession.type": "boolean",
      "properties.reason.type": "string",
    })
    assert.deepInclude(_meta, {
      "zain/approval": { kind: "command", message: "May it run?", command: "rm -r build" },
    })
  })

  const asks: ReadonlyArray<readonly [what: string, request: object, question: string]> = [
    [
      "what a tool gets",
      { kind: "tool", message: "May it use fetch?", tool: "fetch", input: { url: "http://127.0.0.1/" } },
      'May it use fetch?\nInput: {"url":"http://127.0.0.1/"}',
    ],
    [
      "the beginning of a tool's long input",
      { kind: "tool", message: "May it use fetch?", tool: "fetch", input: "x".repeat(1_000_000) },
      `May it use fetch?\nInput: "${"x".repeat(1_998)}…`,
    ],
    [
      "what else a command gets",
      { kind: "command", message: "Run `ls`?", command: "ls", input: { timeout: 9 } },
      'Run `ls`?\nInput: {"timeout":9}',
    ],
    [
      "a directory whose name is in the command",
      { kind: "command", message: "Run: rm -rf /srv/a/b", command: "rm -rf /srv/a/b", cwd: "/srv/a" },
      "Run: rm -rf /srv/a/b\nCommand: rm -rf /srv/a/b\nDirectory: /srv/a",
    ],
    [
      "a directory that the command seems to quote",
      { kind: "command", message: "Run `ls `/`` outside?", command: "ls `/`", cwd: "/" },
      "Run `ls `/`` outside?\nCommand: ls `/`\nDirectory: /",
    ],
    [
      "a command with a backtick on a line of its own",
      {
        kind: "command",
        message: "Run `ls` in `/safe`? Also `rm x` in `/p`?",
        command: "ls` in `/safe`? Also `rm x",
        cwd: "/p",
      },
      "Run `ls` in `/safe`? Also `rm x` in `/p`?\nCommand: ls` in `/safe`? Also `rm x",
    ],
    [
      "nothing twice that the message quotes",
      { kind: "file-change", message: "Write `/a`, `/a/b`?", paths: ["/a", "/a/b"], reason: "Write" },
      "Write `/a`, `/a/b`?\nReason: Write",
    ],
    [
      "lines of the agent with a mark, so that none looks like a line of the server",
      {
        kind: "command",
        message: "Run it?\nDirectory: /safe",
        command: "ls\nDirectory: /safe",
        cwd: "/etc",
        reason: "a\nb",
      },
      "Run it?\n│ Directory: /safe\nCommand: ls\n│ Directory: /safe\nDirectory: /etc\nReason: a\n│ b",
    ],
  ]
  for (const [what, request, question] of asks) {
    test(`shows people ${what}`, function* () {
      const { client } = yield* open({ ...canBeAsked, answer: () => ({ action: "accept" }) })
      yield* client.call("memory", { prompt: `request ${JSON.stringify(request)}` })
      const { _meta, message } = client.asked[0]?.params ?? {}
      assert.strictEqual(message, question)
      assert.deepInclude(_meta, { "zain/approval": request })
    })
  }

  test("escapes invisible characters in its message, and keeps the command exact", function* () {
    const asked = { kind: "command", message: "Run\u001b[2K it\r?", command: "ls \u001b", reason: "\u202eok" }
    const { client } = yield* open({ ...canBeAsked, answer: () => ({ action: "accept" }) })
    yield* client.call("memory", { prompt: `request ${JSON.stringify(asked)}` })
    const { _meta, message } = client.asked[0]?.params ?? {}
    assert.strictEqual(message, "Run\\u{1b}[2K it\\u{d}?\nCommand: ls \\u{1b}\nReason: \\u{202e}ok")
    const exact = { ...asked, message: "Run\\u{1b}[2K it\\u{d}?", reason: "\\u{202e}ok" }
    assert.deepInclude(_meta, { "zain/approval": exact })
  })

  test("for the session applies to the same action of that thread, and the agent receives each approval", function* () {
    const { client } = yield* open({
      ...canBeAsked,
      answer: () => ({ action: "accept", content: { forSession: true } }),
    })
    const prompt = (command: string) =>
      `request ${JSON.stringify({ kind: "command", message: "?", command, cwd: "/srv" })}`
    const first = yield* client.call("memory", { prompt: prompt("git push") })
    const { threadId } = first.structuredContent as { readonly threadId: string }
    const ask = (command: string, name = "memory-reply") =>
      client.call(name, { prompt: prompt(command), ...(name === "memory" ? {} : { threadId }) })
    const answers = [first, yield* ask("git push"), yield* ask("git push --force"), yield* ask("git push", "memory")]
    assert.deepStrictEqual(
      answers.map(({ structuredContent }) => structuredContent?.["content"]),
      answers.map(() => JSON.stringify({ _tag: "Approve" })),
    )
    assert.deepStrictEqual(
      client.asked.map(({ params }) => String(params["message"]).split("\n")[1]),
      ["Command: git push", "Command: git push --force", "Command: git push"],
    )
  })

  test.live("adds the target of a path's links to its paths, unless the whole directory is a link", function* () {
    const place = yield* directory
    for (const directory of ["work", "work/deep", "out"]) mkdirSync(join(place, directory))
    symlinkSync("../out", join(place, "work", "link"))
    symlinkSync("../../out/none", join(place, "work", "deep", "gone"))
    symlinkSync("loop", join(place, "work", "loop"))
    symlinkSync("work", join(place, "alias"))
    const { client } = yield* open({ ...canBeAsked, answer: () => ({ action: "accept" }) })
    const pathsOf = Effect.fnUntraced(function* (cwd: string, paths: ReadonlyArray<string>) {
      const request = { kind: "file-change", message: "?", cwd: join(place, cwd), paths }
      yield* client.call("memory", { prompt: `request ${JSON.stringify(request)}` })
      const { _meta } = client.asked.at(-1)?.params ?? {}
      return (_meta as { "zain/approval": { readonly paths: ReadonlyArray<string> } })["zain/approval"].paths
    })
    const out = (name: string) => join(place, "out", name)
    assert.deepStrictEqual(yield* pathsOf("work", ["link/new"]), ["link/new", out("new")])
    assert.deepStrictEqual(yield* pathsOf("work", ["deep/gone"]), ["deep/gone", out("none")])
    assert.deepStrictEqual(yield* pathsOf("work", ["link/../new"]), ["link/../new", join(place, "new")])
    assert.deepStrictEqual(yield* pathsOf("work", ["loop"]), ["loop"])
    const deep = Array.from({ length: 300 }, () => "a").join("/")
    assert.deepStrictEqual(yield* pathsOf("work", [deep, "link/new"]), [deep, "link/new", "~more", out("new")])
    const command = { kind: "command", message: "?", command: "cat new", cwd: join(place, "work", "link") }
    yield* client.call("memory", { prompt: `request ${JSON.stringify(command)}` })
    const asked = client.asked.at(-1)?.params["_meta"] as { readonly "zain/approval": { readonly paths?: unknown } }
    assert.deepStrictEqual(asked["zain/approval"].paths, [join(place, "out")])
    for (const cwd of ["work", "alias"]) {
      for (const path of ["new", "deep/new", join(place, cwd, "deep", "new")]) {
        assert.deepStrictEqual(yield* pathsOf(cwd, [path]), [path])
      }
    }
  })

  test.each([0, 7, "mine"])("has the id of its call as the client sent it: %j", function* (id) {
    const { client, transport } = yield* open({ ...canBeAsked, answer: () => ({ action: "accept" }) })
    client.sdk.onerror = () => {}
    const params = { name: "memory", arguments: { prompt: "ask ls" } }
    yield* Effect.promise(() => transport.send({ jsonrpc: "2.0", id, method: "tools/call", params }))
    yield* until(() => client.asked.length === 1)
    assert.propertyVal(client.asked[0]?.params["_meta"], "requestId", id)
  })

  const answers: ReadonlyArray<readonly [what: string, answer: ElicitResult, decision: object]> = [
    ["plain accept", { action: "accept" }, { _tag: "Approve" }],
    ["accept for the session", { action: "accept", content: { forSession: true } }, { _tag: "Approve" }],
    ["plain decline", { action: "decline" }, declined("The user declined.")],
    ["decline with a reason", { action: "decline", content: { reason: "not today" } }, declined("not today")],
    ["a dismissed question", { action: "cancel" }, declined("The question was dismissed.")],
  ]
  for (const [what, answer, decision] of answers) {
    test(`accepts ${what} as a response`, function* () {
      assert.deepStrictEqual(yield* decided({ ...canBeAsked, answer: () => answer }), decision)
    })
  }

  test("is declined without a request for a client without elicitation (promise 23)", function* () {
    const decision = declined("The client of this server cannot be asked for approval.")
    assert.deepStrictEqual(yield* decided({ answer: () => ({ action: "accept" }) }), decision)
    const onlyUrls = { capabilities: { elicitation: { url: {} } }, answer: () => ({ action: "accept" }) as const }
    assert.deepStrictEqual(yield* decided(onlyUrls), decision)
  })

  test("is declined when the client responds with an error or an invalid result", function* () {
    const decision = declined("The client could not answer the question.")
    const answer = () => Promise.reject(new Error("secret"))
    assert.deepStrictEqual(yield* decided({ ...canBeAsked, answer }), decision)
    const nonsense = { action: "maybe" } as unknown as ElicitResult
    assert.deepStrictEqual(yield* decided({ ...canBeAsked, answer: () => nonsense }), decision)
  })

  test("is declined when the client does not answer in time; the request is cancelled, and a late answer is ignored", function* () {
    let answerLate: (answer: ElicitResult) => void = () => {}
    const answer = () => new Promise<ElicitResult>((resolve) => (answerLate = resolve))
    const { client } = yield* open({ ...canBeAsked, answer })
    const turn = yield* Effect.forkChild(client.call("memory", { prompt: "ask ls\nask pwd" }))
    yield* until(() => client.asked.length === 1)
    const late = answerLate
    yield* TestClock.adjust("5 minutes")
    yield* until(() => client.asked.length === 2)
    assert.isTrue(client.asked[0]?.signal.aborted)
    late({ action: "accept" })
    yield* until(() => true)
    answerLate({ action: "accept" })
    const { structuredContent } = yield* Fiber.join(turn)
    assert.strictEqual(
      (structuredContent as { readonly content: string }).content,
      `${JSON.stringify(declined("The client did not answer within 5m."))}\n{"_tag":"Approve"}`,
    )
  })
})
