/** `output` of a request, where only one library or agent makes a difference; the contract suite holds every adapter to it. */
import { assert, describe } from "@effect/vitest"
import { InMemoryMcpClient, McpResponse } from "@zain/core"
import { test } from "@zain/testkit/Test"
import { Effect, Schema } from "effect"

/** An agent that gives these answers in turn, and what it was asked. */
const answering = Effect.fnUntraced(function* (...answers: ReadonlyArray<string | Partial<McpResponse>>) {
  const asked: Array<InMemoryMcpClient.Prompt> = []
  const client = yield* InMemoryMcpClient.make({
    reply: (prompt) => Effect.sync(() => answers[asked.push(prompt) - 1] ?? "no more"),
  })
  const session = yield* client.openSession(InMemoryMcpClient.config)
  return { asked, client, session }
})

const Verdict = Schema.Struct({ passes: Schema.Boolean, at: Schema.optionalKey(Schema.NumberFromString) })

/** A schema of a library without JSON Schema. */
const bare = {
  "~standard": {
    version: 1 as const,
    vendor: "bare",
    validate: async (value: unknown) =>
      (value as { readonly passes?: unknown }).passes === true
        ? { value: "it passes" }
        : { issues: [{ message: "is not true", path: ["passes"] }] },
  },
}

describe("`output` (docs/guides/structured-answers.md)", () => {
  test("takes a schema of Effect, and has its type", function* () {
    const { asked, client, session } = yield* answering('{ "passes": true, "at": "7" }')
    const answer = yield* Effect.flatMap(
      client.execute(session, { content: "Go", output: Verdict }),
      McpResponse.orFail,
    )
    const { at, passes }: { readonly passes: boolean; readonly at?: number } = answer.structured
    assert.deepStrictEqual({ at, passes }, { passes: true, at: 7 })
    assert.deepStrictEqual(Object.keys((asked[0]?.output?.["properties"] ?? {}) as object), ["passes", "at"])
  })

  test("asks in words where the library has no JSON Schema, and waits for its check", function* () {
    const { asked, client, session } = yield* answering("No.", 'So:\n```json\n{ "passes": true }\n```\nDone.')
    const { structured } = yield* client.execute(session, { content: "Go", output: bare })
    assert.strictEqual(structured satisfies string | undefined, "it passes")
    assert.deepStrictEqual(
      asked.map(({ content, output }) => ({ content, output })),
      [
        { content: "Go\n\nAnswer with one JSON value, and nothing else.", output: undefined },
        {
          content:
            "Your answer does not fit its schema: it is not valid JSON. Answer again.\n\nAnswer with one JSON value, and nothing else.",
          output: undefined,
        },
      ],
    )
  })

  test("adds up what both answers used and left", function* () {
    const work = (workId: string) => ({ workId, kind: "command", title: workId }) as const
    const { client, session } = yield* answering(
      { content: "no", usage: { inputTokens: 1, outputTokens: 2 }, ended: [work("a")] },
      { content: '{"passes":true}', usage: { inputTokens: 10 }, ended: [work("b")] },
    )
    const { ended, usage } = yield* client.execute(session, { content: "Go", output: Verdict })
    assert.deepStrictEqual(
      { ended, usage },
      { ended: [work("a"), work("b")], usage: { inputTokens: 11, outputTokens: 2 } },
    )
  })

  test("names what does not fit, with its path, and at most ten of it", function* () {
    const list = { type: "object", properties: { list: { type: "array", items: { type: "integer" } } } }
    const bad = JSON.stringify({ list: Array.from({ length: 50 }, () => "x".repeat(1_000)) })
    const { client, session } = yield* answering(bad, bad)
    const { cause } = yield* client.execute(session, { content: "Go", output: list })
    assert.strictEqual(cause?._tag, "Unstructured")
    if (cause?._tag !== "Unstructured") return
    assert.strictEqual(cause.problems.length, 10)
    assert.strictEqual(cause.problems[0], 'list.0: Instance type "string" is invalid. Expected "integer".')
  })

  test("checks an answer of any size in linear work", function* () {
    const list = (more: object) => ({ type: "array", items: { type: "integer" }, ...more })
    const long = JSON.stringify(Array.from({ length: 300_000 }, (_, at) => at % 7))
    const wrong = JSON.stringify(Array.from({ length: 300_000 }, () => "x"))
    const { client, session } = yield* answering(long, long, long, wrong, wrong)
    const ask = (output: object) =>
      client.execute(session, { content: "Go", output: output as Record<string, unknown> })
    assert.isFalse((yield* ask(list({}))).isError)
    const compared = yield* ask(list({ uniqueItems: true }))
    assert.deepStrictEqual(compared.cause, {
      _tag: "Unstructured",
      problems: ["has more than 5000 values, too many to compare"],
    })
    const { cause } = yield* ask(list({}))
    assert.lengthOf(cause?._tag === "Unstructured" ? cause.problems : [], 1)
  })
})

describe("the check of an answer by a JSON Schema", () => {
  test("ends for a recursive schema with choices, which takes exponentially many steps", function* () {
    const kind = (name: string) => ({
      type: "object",
      properties: { left: { $ref: "#/$defs/Tree" }, right: { $ref: "#/$defs/Tree" }, kind: { const: name } },
      required: ["kind"],
    })
    const output = {
      type: "object",
      properties: { tree: { $ref: "#/$defs/Tree" } },
      required: ["tree", "title"],
      $defs: { Tree: { anyOf: ["add", "sub", "mul"].map(kind) } },
    }
    const tree = (depth: number): object =>
      depth === 0 ? { kind: "mul" } : { kind: "mul", left: tree(depth - 1), right: { kind: "mul" } }
    const deep = JSON.stringify({ tree: tree(40) })
    const small = JSON.stringify({ tree: tree(3), title: "One" })
    const { client, session } = yield* answering(deep, deep, small)
    const { cause } = yield* client.execute(session, { content: "Go", output })
    assert.deepStrictEqual(cause, { _tag: "Unstructured", problems: ["it takes too many steps to check"] })
    assert.isFalse((yield* client.execute(session, { content: "Go", output })).isError)
  })

  test("refuses what it could not check, before anything is sent", function* () {
    const { asked, client, session } = yield* answering()
    for (const text of [{ pattern: "(" }, { pattern: "[\\w-.]" }, { $dynamicRef: "#node" }]) {
      const output = { type: "object", properties: { text: { type: "string", ...text } } }
      const error = yield* Effect.flip(client.execute(session, { content: "Go", output }))
      assert.deepInclude(error, { _tag: "InvalidRequest", reason: "invalid-config" })
    }
    assert.isEmpty(asked)
  })

  test("takes a property of any value, and ignores formats whose expressions are slow", function* () {
    const url = `http://${"a".repeat(60)}`
    const { client, session } = yield* answering(JSON.stringify({ data: [1], at: url }))
    const output = { type: "object", properties: { data: true, at: { type: "string", format: "url" } } }
    assert.deepStrictEqual((yield* client.execute(session, { content: "Go", output })).structured, {
      data: [1],
      at: url,
    })
  })
})

describe("a request with a schema or a file", () => {
  test("keeps its place in the queue of its session", function* () {
    const { asked, client, session } = yield* answering("{}", "two", "three")
    const attachments = [{ _tag: "TextFile", name: "a", text: "b" }] as const
    const requests = [
      { content: "one", output: { type: "object" } },
      { content: "two", attachments },
      { content: "three" },
    ]
    yield* Effect.forEach(requests, (request) => client.execute(session, request), { concurrency: "unbounded" })
    assert.deepStrictEqual(
      asked.map(({ content }) => content.split("\n").at(-1)),
      ["one", "two", "three"],
    )
  })

  test("has no value that no schema has asked for", function* () {
    const unasked = { content: "Hello.", structured: { passes: true } }
    const { client, session } = yield* answering(unasked, unasked)
    assert.notProperty(yield* client.execute(session, { content: "Go" }), "structured")
    const attachments = [{ _tag: "TextFile", name: "a", text: "b" }] as const
    assert.notProperty(yield* client.execute(session, { content: "Go", attachments }), "structured")
  })
})
