/** `output` of a request, where only one library or agent makes a difference; the contract suite holds every adapter to it. */
import { assert, describe } from "@effect/vitest"
import { InMemoryMcpClient, McpResponse } from "@zain/core"
import { Effect, Schema } from "effect"
import { test } from "./Test.ts"

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

describe("`output` (design §5, structured answers)", () => {
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
