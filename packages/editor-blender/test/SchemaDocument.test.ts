import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Ajv2020 } from "ajv/dist/2020.js"
import {
  buildClientSchema,
  type GraphQLInputObjectType,
  getIntrospectionQuery,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isRequiredInputField,
  isSpecifiedScalarType,
  Kind,
  printSchema,
} from "graphql"
import { schema } from "../src/BlenderSchema.ts"
import type { Params } from "../src/Bridge.ts"
import * as ErrorCodes from "../src/ErrorCodes.ts"
import { resolvers } from "../src/Resolvers.ts"
import * as Steps from "../src/Steps.ts"
import * as StubBridge from "../testing/StubBridge.ts"

const protocol = readFileSync(new URL("../bridge/PROTOCOL.md", import.meta.url), "utf8")

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
)

const objectType = (name: string) => {
  const type = schema.getType(name)
  return isObjectType(type) ? type : assert.fail(`${name} is no object type.`)
}
const inputType = (name: string): GraphQLInputObjectType => {
  const type = schema.getType(name)
  return isInputObjectType(type) ? type : assert.fail(`${name} is no input type.`)
}
const fieldsOf = (name: string) => Object.keys(objectType(name).getFields())
const valuesOf = (name: string) => {
  const type = schema.getType(name)
  return isEnumType(type) ? type.getValues().map((value) => value.name) : assert.fail(`${name} is no enum.`)
}

/** Everything that has a description, by its coordinate. */
const described = new Map<string, string | null | undefined>()
for (const type of types) {
  described.set(type.name, type.description)
  if (isEnumType(type)) {
    for (const value of type.getValues()) described.set(`${type.name}.${value.name}`, value.description)
  } else if ("getFields" in type) {
    for (const field of Object.values(type.getFields())) {
      described.set(`${type.name}.${field.name}`, field.description)
      if (!("args" in field)) continue
      for (const arg of field.args) described.set(`${type.name}.${field.name}(${arg.name}:)`, arg.description)
    }
  }
}

/** The types whose fields are resolved by operations. */
const namespaces = ["Query", "SceneQuery", "ExecutionQuery", "Mutation", "CommandMutation", "ModelMutation"].concat(
  "SceneMutation",
)

describe("schema.graphql", () => {
  it("describes every type, field, argument and value in Japanese and English (editors 003.7)", () => {
    assert.isAbove(described.size, 300)
    for (const [coordinate, description] of described) {
      const [japanese = "", english = ""] = description?.split("\n")[0]?.split(" / ") ?? []
      assert.match(japanese, /[ぁ-んァ-ヶ一-龠].*。$/, coordinate)
      assert.match(english, /^[A-Z0-9`][^ぁ-んァ-ヶ一-龠]*\.$/, coordinate)
    }
  })

  test("is what introspection gives, and does not change unnoticed (editors 003.7)", function* () {
    const answer = yield* StubBridge.make().execute(getIntrospectionQuery({ descriptions: false, oneOf: true }))
    const introspected = printSchema(buildClientSchema(answer.data as never))
    assert.strictEqual(`${introspected}\n`, readFileSync(new URL("introspected.txt", import.meta.url), "utf8"))
  })

  it("has the codes and categories of the table of errors (editors 003.9)", () => {
    assert.deepStrictEqual(valuesOf("ErrorCode"), [...ErrorCodes.codes])
    const used = new Set(Object.values(ErrorCodes.table).map(({ category }) => category))
    assert.sameMembers(valuesOf("ErrorCategory"), [...used])
  })

  it("has a resolver for each field of its domains, and each resolver has its field", () => {
    for (const [type, fields] of Object.entries(resolvers)) assert.includeMembers(fieldsOf(type), Object.keys(fields))
    for (const type of namespaces) assert.sameMembers(Object.keys(resolvers[type] ?? {}), fieldsOf(type), type)
  })

  it("has the fields of the bridge's protocol", () => {
    const fieldsIn = (method: string) => {
      const text = new RegExp(`^\`${method}\`: ([\\s\\S]*?)\\n\\n`, "m").exec(protocol)?.[1] ?? ""
      // What stands in parentheses are members of a field.
      const names =
        text
          .split(". `names`")[0]
          ?.replace(/\([^)]*\)/g, "")
          .match(/`\w+`/g) ?? []
      return names.map((name) => name.slice(1, -1)).filter((name) => name !== "null")
    }
    assert.sameMembers(fieldsOf("SceneContext"), fieldsIn("scene.read"))
    assert.sameMembers(fieldsOf("ObjectInfo"), fieldsIn("object.read"))
  })
})

describe("steps.schema.json", () => {
  const { $defs } = Steps.schema as { readonly $defs: Readonly<Record<string, { readonly properties: Params }>> }
  const definition = (value: unknown): Params => {
    const { $ref, ...own } = value as Params
    return $ref === undefined ? own : { ...$defs[String($ref).replace("#/$defs/", "")], ...own }
  }
  const steps = $defs["step"]?.properties ?? {}

  it("is a valid schema of JSON Schema 2020-12", () => {
    assert.doesNotThrow(() => new Ajv2020({ strict: true }).compile(Steps.schema))
    assert.strictEqual(Steps.schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
  })

  it("has the steps of the bridge's protocol, with their members", () => {
    const table = protocol.split("## Steps")[1]?.split("| primitive ")[0]
    const rows = [...(table?.matchAll(/^\| `(\w+)` +\| (.*) \|$/gm) ?? [])]
    assert.deepStrictEqual(
      Object.keys(steps),
      rows.map(([, name]) => name),
    )
    for (const [, name = "", members = ""] of rows) {
      const named = members
        .replace(/\([^)]*\)/g, "")
        .match(/`\w+`/g)
        ?.map((member) => member.slice(1, -1))
      assert.deepStrictEqual(Object.keys(definition(steps[name])["properties"] as Params), named, name)
    }
  })

  /** Only GraphQL has them: geometry and scale are made of them. */
  const dimensions = "create.geometry.dimensions"
  const typesOf: Readonly<Record<string, string>> = {
    String: "string",
    Float: "number",
    Int: "integer",
    Boolean: "boolean",
    JSON: "object",
  }

  const compare = (input: GraphQLInputObjectType, one: Params, place: string): void => {
    const properties = one["properties"] as Params
    const fields = Object.values(input.getFields()).filter(({ name }) => `${place}.${name}` !== dimensions)
    const names = fields.map(({ name }) => name)
    assert.deepStrictEqual(names, Object.keys(properties), place)
    // What has null as its default is always there.
    const required = fields.filter((field) => isRequiredInputField(field) || field.default?.literal?.kind === Kind.NULL)
    const requiredNames = required.map(({ name }) => name)
    assert.deepStrictEqual(requiredNames, one["required"] ?? [], place)
    for (const { name, type } of fields) {
      const named = getNamedType(type)
      const member = definition(properties[name])
      const item = member["type"] === "array" ? definition(member["items"]) : member
      // A text or null, a location or a name: StepInputs makes them.
      if ("anyOf" in member) continue
      if (isEnumType(named)) assert.deepStrictEqual(member["enum"], valuesOf(named.name) as unknown, name)
      else if (isInputObjectType(named)) compare(named, member, `${place}.${name}`)
      else assert.strictEqual(item["type"], typesOf[named.name], `${place}.${name}`)
    }
  }

  it("has the same steps as StepInput: members, required ones, types and choices", () => {
    const input = inputType("StepInput")
    const fields = Object.values(input.getFields())
    assert.isTrue(input.isOneOf)
    const names = fields.map(({ name }) => name)
    assert.deepStrictEqual(names, Object.keys(steps))
    for (const { name, type } of fields) compare(inputType(getNamedType(type).name), definition(steps[name]), name)
  })
})
