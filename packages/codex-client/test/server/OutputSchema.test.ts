/** Schemas of answers in OpenAI's strict form. */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect, Result } from "effect"
import * as CodexOutputSchema from "../../src/server/CodexOutputSchema.ts"

const made = (schema: object) => Result.getOrThrow(CodexOutputSchema.make(schema as Record<string, unknown>))
const objectOf = (properties: object, more: object = {}) => ({ type: "object", properties, ...more })
const closed = (properties: object, more: object = {}) =>
  objectOf(properties, { required: Object.keys(properties), additionalProperties: false, ...more })

const text = { type: "string" }

/** A schema, and its strict form. */
const strict: ReadonlyArray<readonly [what: string, given: object, strict: object]> = [
  ["closes objects", objectOf({ a: text }, { required: ["a"] }), closed({ a: text })],
  ["lets an optional property be null", objectOf({ a: text }), closed({ a: { anyOf: [text, { type: "null" }] } })],
  [
    "leaves an optional property that may be null",
    objectOf({ a: { type: ["string", "null"] } }),
    closed({ a: { type: ["string", "null"] } }),
  ],
  [
    "omits keywords that the strict form does not have",
    closed({ a: { type: "string", minLength: 1, format: "uri", pattern: "a", default: "a" } }, { title: "A" }),
    closed({ a: { type: "string", pattern: "a" } }),
  ],
  [
    "gives constants and lists of values a type",
    closed({ a: { const: 7 }, b: { enum: ["x", null] } }),
    closed({ a: { type: ["integer"], enum: [7] }, b: { type: ["string", "null"], enum: ["x", null] } }),
  ],
  [
    "makes choices of `oneOf`",
    closed({ a: { oneOf: [text, { type: "null" }] } }),
    closed({ a: { anyOf: [text, { type: "null" }] } }),
  ],
  [
    "keeps recursion",
    closed(
      { next: { anyOf: [{ $ref: "#/$defs/Node" }, { type: "null" }] } },
      { $defs: { Node: closed({ next: { $ref: "#/$defs/Node" } }) } },
    ),
    closed(
      { next: { anyOf: [{ $ref: "#/$defs/Node" }, { type: "null" }] } },
      { $defs: { Node: closed({ next: { $ref: "#/$defs/Node" } }) } },
    ),
  ],
  [
    "follows the reference of its root",
    { $ref: "#/$defs/A", $defs: { A: objectOf({ a: text }, { required: ["a"] }) } },
    closed({ a: text }, { $defs: { A: closed({ a: text }) } }),
  ],
  [
    "makes a list the member of an object",
    { type: "array", items: { anyOf: [text, { $ref: "#" }] } },
    closed({ answer: { type: "array", items: { anyOf: [text, { $ref: "#/properties/answer" }] } } }),
  ],
]

/** What cannot be strict, and what the message names. */
const open: ReadonlyArray<readonly [what: string, given: object, named: string]> = [
  [
    "a record",
    closed({ scores: { type: "object", additionalProperties: { type: "number" } } }),
    "`properties.scores` is a record",
  ],
  ["any object", { type: "object" }, "its root is a record"],
  [
    "keys by pattern",
    closed({ a: objectOf({ a: text }, { patternProperties: { "^x": text } }) }),
    "`properties.a` is a record",
  ],
  ["any value", closed({ a: {} }), "`properties.a` may be any value"],
  ["a tuple", closed({ a: { type: "array", prefixItems: [text] } }), "`properties.a` is a list of any values"],
  ["several schemas in one", closed({ a: { allOf: [text, { minLength: 1 }] } }), "`properties.a` combines schemas"],
  ["another document", closed({ a: { $ref: "https://example.org/a" } }), "outside of the schema"],
  [
    "too many levels",
    Array.from({ length: 12 }).reduce<object>((inner) => closed({ a: inner }), text),
    "deeper than 10 levels",
  ],
]

describe("a schema for Codex", () => {
  test.each(strict)("%s", function* ([, given, expected]) {
    yield* Effect.void
    assert.deepStrictEqual(made(given).schema, expected)
  })

  test.each(open)("is refused with the path: %s", function* ([, given, named]) {
    yield* Effect.void
    const refused = CodexOutputSchema.make(given as Record<string, unknown>)
    assert.include(Result.isFailure(refused) ? refused.failure : "", named)
  })

  test("removes the nulls of optional properties from the answer, and no others", function* () {
    yield* Effect.void
    const { read } = made(
      objectOf({ a: text, b: { type: ["string", "null"] }, c: { type: "array", items: objectOf({ d: text }) } }),
    )
    assert.deepStrictEqual(read('{ "a": null, "b": null, "c": [{ "d": null }, { "d": "e" }] }'), {
      b: null,
      c: [{}, { d: "e" }],
    })
    assert.deepStrictEqual(made({ type: "array", items: text }).read('{ "answer": ["a"] }'), ["a"])
    assert.isUndefined(read("not JSON"))
  })
})
