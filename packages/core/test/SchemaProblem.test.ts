import { assert, describe, it } from "@effect/vitest"
import * as SchemaProblem from "@zain/core/SchemaProblem"
import { Result, Schema } from "effect"

const many = Array.from({ length: 22 }, (_, at) => `k${at}`)

const Value = Schema.Struct({
  mode: Schema.optionalKey(Schema.Literals(["read", "write"])),
  only: Schema.optionalKey(Schema.Literal("one")),
  nested: Schema.optionalKey(Schema.Union([Schema.Literals(["a", "b"]), Schema.Literal(3)])),
  mixed: Schema.optionalKey(Schema.Union([Schema.Literal("a"), Schema.Boolean])),
  count: Schema.optionalKey(Schema.Int),
  wait: Schema.optionalKey(Schema.declare((value) => typeof value === "bigint", { expected: "a duration" })),
  inner: Schema.optionalKey(Schema.Struct({ name: Schema.String })),
  many: Schema.optionalKey(
    Schema.Struct(Object.fromEntries(many.map((key) => [key, Schema.optionalKey(Schema.String)]))),
  ),
  letters: Schema.optionalKey(Schema.Literals(many)),
  path: Schema.optionalKey(Schema.String.check(Schema.makeFilter((text) => text[0] === "/", { expected: "a path" }))),
})

const secret = "sk-secret-value"

const problem = (value: unknown) => {
  const decoded = Schema.decodeUnknownResult(Value, { onExcessProperty: "error" })(value)
  return Result.isFailure(decoded) ? decoded.failure : assert.fail("it was accepted")
}

describe("SchemaProblem", () => {
  const twenty = many.slice(0, 20).join(", ")

  it.each([
    [{ mode: secret }, "`it.mode` is not one of read, write"],
    [{ mode: 7 }, "`it.mode` is not one of read, write"],
    [{ only: secret }, "`it.only` is not one"],
    [{ nested: secret }, "`it.nested` is not one of a, b, 3"],
    [{ mixed: secret }, "`it.mixed` is not valid"],
    [{ count: secret }, "`it.count` is not valid; expected an integer"],
    [{ inner: secret }, "`it.inner` is not valid; expected an object"],
    [{ wait: secret }, "`it.wait` is not valid; expected a duration"],
    [{ path: secret }, "`it.path` is not valid; expected a path"],
    [{ inner: {} }, "`it.inner.name` is missing"],
    [{ inner: { name: "", nam: secret } }, "`it.inner.nam` is not known here; known keys: name"],
    [{ many: { key: secret } }, `\`it.many.key\` is not known here; known keys: ${twenty}, …`],
    [{ letters: secret }, `\`it.letters\` is not one of ${twenty}, …`],
    [
      { Mode: secret },
      "`it.Mode` is not known here; known keys: mode, only, nested, mixed, count, wait, inner, many, letters, path",
    ],
    [secret, "`it` is not valid; expected an object"],
  ])("explains %j: %s", (value, said) => {
    assert.strictEqual(SchemaProblem.explain(problem(value), ["it"]), said)
  })

  it("cuts a key of any length, so that the remedy stays in a message of 1 KiB", () => {
    const said = SchemaProblem.explain(problem({ ["k".repeat(5_000)]: secret }), ["l".repeat(5_000)])
    assert.match(said, /^`l{90,99}…\.k{90,99}…` is not known here; known keys: mode, .*path$/)
  })

  it("describes a problem without the accepted values", () => {
    assert.strictEqual(SchemaProblem.describe(problem({ mode: secret })), "`mode` is not valid")
    assert.strictEqual(SchemaProblem.describe(problem({ mod: secret })), "`mod` is not known here")
  })
})
