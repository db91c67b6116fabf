/** Cases about `output`: answers as values of a schema. */
import type { JsonSchema } from "@zain/core/McpOutput"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { casesOf } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"
import { recall } from "../Recall.ts"

const verdict = (description: string): JsonSchema => ({
  type: "object",
  description,
  properties: { verdict: { type: "string" } },
  required: ["verdict"],
  additionalProperties: false,
})

const counted = Schema.Struct({ count: Schema.FiniteFromString })

const say = (value: unknown) => ({ _tag: "Say", text: JSON.stringify(value) }) as const

/** A schema that takes one verdict, and objects to any other with a text, which may be a prompt of the suite. */
const only = (wanted: string | undefined, objection: string) => ({
  "~standard": {
    version: 1 as const,
    vendor: "zain",
    validate: (value: unknown) =>
      (value as { readonly verdict: unknown }).verdict === wanted
        ? { value: value as { readonly verdict: string } }
        : { issues: [{ message: objection }] },
    jsonSchema: { input: () => verdict("A verdict"), output: () => verdict("A verdict") },
  },
})

const refusing = {
  "~standard": {
    ...only("pass", "")["~standard"],
    jsonSchema: {
      ...only("pass", "")["~standard"].jsonSchema,
      input: () => {
        throw new Error("There is no JSON Schema of it.")
      },
    },
  },
}

/** Values that are no schemas, with what is wrong. */
const wrong: ReadonlyArray<readonly [what: string, output: unknown]> = [
  ["a number", 7],
  ["a text", "object"],
  ["a list", [{ type: "object" }]],
  ["an unknown type", { type: "verdict" }],
  ["a property that is no schema", { type: "object", properties: { verdict: "string" } }],
  ["a reference to nothing", { type: "object", properties: { verdict: { $ref: "#/$defs/Verdict" } } }],
  ["a schema that has no JSON Schema", refusing],
]

export const structured = casesOf({
  "structured.value": {
    title: "an answer that fits `output` MUST be `structured` of the response, and the schema MUST reach the agent",
    crossesWire: true,
    verifies: ["turn.structured"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      const { key: mark } = prompt({ _tag: "Recall" })
      const { content, key } = prompt(say({ verdict: "pass" }))
      const answer = yield* client.execute(session, { content, output: verdict(mark) })
      yield* Expect.equal(answer.isError, false, "isError")
      yield* Expect.equal(answer.structured, { verdict: "pass" }, "structured")
      yield* Expect.equal([yield* peer.count(key), yield* peer.count(mark)], [1, 1], "The prompts with the schema")
    },
  },
  "structured.read": {
    title: "`structured` MUST be what the library of the schema makes of the answer",
    verifies: ["turn.structured"],
    *run({ client, open, prompt }) {
      const session = yield* open
      const { content } = prompt(say({ count: "7" }))
      const output = Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(counted))
      const answer = yield* client.execute(session, { content, output })
      yield* Expect.equal(answer.structured, { count: 7 }, "structured")
    },
  },
  "structured.again": {
    title: "an answer that does not fit MUST be asked for again with what is wrong, within the same turn",
    crossesWire: true,
    verifies: ["turn.structured"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      const first = prompt(say({ verdict: "maybe" }))
      const second = prompt(say({ verdict: "pass" }))
      const output = only("pass", second.content)
      const pieces = yield* Stream.runCollect(client.stream(session, { content: first.content, output }))
      const answers = pieces.flatMap((piece) => (piece._tag === "Response" ? piece.response : []))
      yield* Expect.equal(
        answers.map(({ isError, structured }) => ({ isError, structured })),
        [{ isError: false, structured: { verdict: "pass" } }],
        "The answer",
      )
      const turns = pieces.flatMap((piece) => (piece._tag === "Response" ? [] : piece.turn))
      yield* Expect.equal(new Set(turns), new Set([1]), "The turns of the events")
      yield* Expect.equal([yield* peer.count(first.key), yield* peer.count(second.key)], [1, 1], "The prompts")
      yield* Expect.equal(yield* recall(session), [first.key, second.key], "What the agent remembers")
    },
  },
  "structured.never": {
    title: "an answer that does not fit twice MUST be a response with `isError` and the cause `Unstructured`",
    verifies: ["turn.structured"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      const first = prompt(say({ verdict: "maybe" }))
      const second = prompt(say({ verdict: "perhaps" }))
      const output = only(undefined, second.content)
      const { cause, isError, ...rest } = yield* client.execute(session, { content: first.content, output })
      yield* Expect.equal(
        { cause, isError },
        { cause: { _tag: "Unstructured", problems: [second.content] }, isError: true },
        "The failed turn",
      )
      yield* Expect.that(!("structured" in rest), "A value that does not fit must not be `structured`.")
      yield* Expect.equal([yield* peer.count(first.key), yield* peer.count(second.key)], [1, 1], "The prompts")
      yield* Expect.equal(yield* recall(session), [first.key, second.key], "What the agent remembers")
    },
  },
  "structured.alone": {
    title: "`output` MUST hold for its turn alone",
    verifies: ["turn.structured"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      const { key: mark } = prompt({ _tag: "Recall" })
      const value = prompt(say({ verdict: "pass" }))
      yield* client.execute(session, { content: value.content, output: verdict(mark) })
      const plain = yield* client.execute(session, { content: prompt({ _tag: "Say", text: "plain" }).content })
      yield* Expect.equal(plain.content, "plain", "content")
      yield* Expect.that(!("structured" in plain), "A turn without `output` must have no `structured`.")
      const output = { type: "object", properties: { score: { type: "integer" } }, required: ["score"] }
      const other = yield* client.execute(session, { content: prompt(say({ score: 7 })).content, output })
      yield* Expect.equal(other.structured, { score: 7 }, "structured")
      yield* Expect.equal(yield* peer.count(mark), 1, "The prompts with the first schema")
    },
  },
  "structured.failed": {
    title: "a turn with `output` that the agent failed MUST NOT be asked again",
    verifies: ["turn.structured", "port.is-error"],
    needs: ["observe", "turn-failure"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      const failing = prompt({ _tag: "Fail", reason: "failure demanded" })
      const answer = yield* client.execute(session, { content: failing.content, output: verdict("A verdict") })
      yield* Expect.equal(answer.isError, true, "isError")
      yield* Expect.that(answer.cause?._tag !== "Unstructured", "The cause must not be `Unstructured`.")
      yield* Expect.equal(yield* peer.count(failing.key), 1, "The prompts")
    },
  },
  "structured.cancelled": {
    title: "an interrupt while an answer is asked for again MUST cancel the turn",
    verifies: ["turn.structured", "rule-5.server-notified"],
    needs: ["observe", "observe-cancel"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      const hang = prompt({ _tag: "Hang" })
      const { content } = prompt(say({ verdict: "maybe" }))
      const output = only("pass", hang.content)
      const fiber = yield* Effect.forkChild(client.execute(session, { content, output }), { startImmediately: true })
      yield* peer.received(hang.key)
      yield* Fiber.interrupt(fiber)
      yield* peer.cancelled(hang.key)
    },
  },
  "structured.invalid": {
    title: "an `output` that is no schema MUST be `invalid-config`, before anything is sent",
    verifies: ["turn.structured"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      for (const [what, output] of wrong) {
        const { content, key } = prompt({ _tag: "Say", text: what })
        const attempt = client.execute(session, { content, output: output as JsonSchema })
        yield* Expect.fails(attempt, "InvalidRequest", { reason: "invalid-config", delivery: "not-sent" })
        yield* Expect.equal(yield* peer.count(key), 0, `The prompts with ${what}`)
      }
    },
  },
})
