/**
 * The plan of plain values beside the executor of GraphQL, on selections and values that fast-check makes.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { execute, type GraphQLOutputType, isListType, isNonNullType, isObjectType, parse } from "graphql"
import { schema } from "../src/BlenderSchema.ts"
import * as StubBridge from "../testing/StubBridge.ts"

const objectInfo = schema.getType("ObjectInfo")
assert(isObjectType(objectInfo))

/** Values that are of a wrong type at most places. */
const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    null,
    undefined,
    true,
    false,
    "",
    "7",
    "1e3",
    " ",
    "true",
    "NaN",
    "\ud800",
    0,
    -0,
    1.5,
    2 ** 31,
    -(2 ** 31),
  ),
  fc.constantFrom<unknown>([], {}, [null], [[]], { x: 1 }, { valueOf: 3 }, { name: "n", toJSON: 1 }),
  fc.double(),
  fc.bigInt(),
  fc.string({ unit: "binary", maxLength: 4 }),
)

const leaves: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  Boolean: fc.boolean(),
  Float: fc.double({ noNaN: true, noDefaultInfinity: true }),
  Int: fc.integer(),
  String: fc.string({ unit: "binary", maxLength: 6 }),
}

/** A value of a type, or, one in `oddity` times, another one. */
const valuesOf = (type: GraphQLOutputType, oddity: number): fc.Arbitrary<unknown> => {
  const present = isNonNullType(type) ? type.ofType : type
  const right = isListType(present)
    ? fc.array(valuesOf(present.ofType, oddity), { maxLength: 3 })
    : isObjectType(present)
      ? fc.record(
          Object.fromEntries(
            Object.values(present.getFields()).map((field) => [field.name, valuesOf(field.type, oddity)]),
          ),
          oddity === 0 ? {} : { requiredKeys: [] },
        )
      : (leaves[String(present)] ?? fc.constant(null))
  const fit = isNonNullType(type) ? right : fc.oneof({ arbitrary: right, weight: 3 }, fc.constant(null))
  return oddity === 0 ? fit : fc.oneof({ arbitrary: fit, weight: oddity }, { arbitrary: odd, weight: 1 })
}

const innermost = (type: GraphQLOutputType): GraphQLOutputType =>
  isNonNullType(type) || isListType(type) ? innermost(type.ofType) : type

const directive = fc.oneof(
  { arbitrary: fc.constant(""), weight: 4 },
  fc.constantFrom(" @skip(if: $yes)", " @include(if: $no)", " @skip(if: false)", " @include(if: $yes)"),
)

/** What a selection may have beside fields and aliases. */
interface Beside {
  readonly directives?: boolean
  readonly fragments?: boolean
  readonly repeated?: boolean
}

/** A selection of a type. Aliases may collide. */
const selectionOf = (type: GraphQLOutputType, beside: Beside): fc.Arbitrary<string> => {
  const inner = innermost(type)
  if (!isObjectType(inner)) return fc.constant("")
  const others = fc.constantFrom("a: ", "name: ", "__proto__: ", "constructor: ", "toString: ")
  const own = fc.nat(999).map((at) => `a${at}: `)
  const alias = fc.oneof({ arbitrary: own, weight: 6 }, others, {
    arbitrary: fc.constant(""),
    weight: beside.repeated === true ? 12 : 1,
  })
  const when = beside.directives === true ? directive : fc.constant("")
  const fields = Object.values(inner.getFields()).map((field) =>
    fc
      .tuple(alias, when, selectionOf(field.type, beside))
      .map(([as, condition, within]) => `${as}${field.name}${condition} ${within}`),
  )
  const field = fc.oneof(...fields)
  const spread = inner === objectInfo ? [{ arbitrary: when.map((condition) => `...F${condition}`), weight: 1 }] : []
  const part =
    beside.fragments === true
      ? fc.oneof(
          { arbitrary: field, weight: 8 },
          { arbitrary: fc.constantFrom("__typename", "t: __typename"), weight: 1 },
          {
            arbitrary: fc.tuple(when, field).map(([condition, one]) => `... on ${inner.name}${condition} { ${one} }`),
            weight: 1,
          },
          ...spread,
        )
      : field
  return fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `{ ${parts.join(" ")} }`)
}

const fragment = " fragment F on ObjectInfo { name location { z } modifiers { type } }"
const variables = { yes: true, no: false }

const queryOf = (selection: string): string => {
  const declared = Object.keys(variables).filter((name) => selection.includes(`$${name}`))
  const head = declared.length === 0 ? "" : `query (${declared.map((name) => `$${name}: Boolean!`).join(", ")}) `
  return `${head}{ selectedObjects ${selection} }${selection.includes("...F") ? fragment : ""}`
}

const seen = (
  errors: ReadonlyArray<{ readonly message: string; readonly path?: unknown; readonly locations?: unknown }> = [],
) => errors.map(({ locations, message, path }) => ({ message, path, locations: JSON.stringify(locations) }))

/** In the order of members. Values that are not of their types may be whole numbers that JSON does not know. */
const written = (value: unknown) =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? `${one}n` : one))

const compare = async (selection: string, objects: ReadonlyArray<unknown>) => {
  const query = queryOf(selection)
  const bridge = StubBridge.make({ "object.read": Effect.succeed({ objects }) })
  const answered = await Effect.runPromise(bridge.execute(query, variables))
  // Selections that collide, or have too many aliases, are refused before they are executed.
  fc.pre("data" in answered)
  const read = objects.filter((one) => one !== null)
  const expected = await execute({
    schema,
    document: parse(query),
    rootValue: { selectedObjects: read },
    variableValues: variables,
  })
  assert.strictEqual(written(answered.data), written(expected.data))
  assert.deepStrictEqual(seen(answered.errors), seen(expected.errors?.map((error) => error.toJSON())))
}

describe("the answer for a list of objects", () => {
  it.each<readonly [name: string, beside: Beside, oddity: number]>([
    ["of fields, on values that are of their types", {}, 0],
    ["of fields, on values that may not be of their types", {}, 6],
    ["with directives", { directives: true }, 0],
    ["with fragments and repeated fields", { fragments: true, repeated: true }, 0],
    ["with all of these", { directives: true, fragments: true, repeated: true }, 6],
  ])("is, byte for byte, that of the executor: a selection %s", async (_, beside, oddity) => {
    const objects = fc.array(valuesOf(objectInfo, oddity), { minLength: 1, maxLength: 2 })
    await fc.assert(fc.asyncProperty(selectionOf(objectInfo, beside), objects, compare), { numRuns: 200 })
  })
})
