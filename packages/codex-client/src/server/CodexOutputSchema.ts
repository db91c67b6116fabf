/**
 * The schema of an answer as OpenAI's strict form of JSON Schema. Codex always says that a schema is strict, and checks nothing.
 *
 * @see Codex 0.169 app-server: measured; OpenAI's API reference, structured outputs
 */
import { type JsonObject, recordOf, recordsOf, textOf, textsOf } from "@zain/agent-server/JsonMember"
import * as OutputRoot from "@zain/agent-server/OutputRoot"
import { isRecord } from "@zain/process/JsonRpc"
import * as Result from "effect/Result"

/** A schema for Codex. */
export interface CodexOutputSchema {
  /** The parameter `outputSchema` of `turn/start`. */
  readonly schema: JsonObject
  /** The value in the text of an answer; `undefined` if the text is no JSON. */
  readonly read: (text: string) => unknown
}

/** Limits of a strict schema: properties in all, and levels of objects and arrays. */
const [maxProperties, maxDepth] = [5_000, 10]

/** Keywords that may stay; of the others, none admits more values. */
const kept: ReadonlySet<string> = new Set([
  ...["type", "enum", "description", "title", "pattern", "multipleOf", "minimum", "maximum", "exclusiveMinimum"],
  ...["exclusiveMaximum", "minItems", "maxItems"],
])
const formats: ReadonlySet<unknown> = new Set("date-time time date duration email hostname ipv4 ipv6 uuid".split(" "))

class Unstrict extends Error {}

/**
 * Makes a schema strict: closes its objects, and lets each optional property be `null` instead, which `read` removes. Fails
 * with the path of the part that cannot be strict, and why.
 */
export const make = (given: JsonObject): Result.Result<CodexOutputSchema, string> => {
  const { inner, schema } = OutputRoot.make(given)
  return Result.try({
    try: () => {
      const budget = { properties: maxProperties }
      return {
        schema: strict(schema, { at: [], depth: 0, budget, root: schema }),
        read: (text: string) => {
          try {
            return inner(loosened(JSON.parse(text), [schema], schema))
          } catch {
            return undefined
          }
        },
      }
    },
    catch: (cause) => (cause instanceof Unstrict ? cause.message : String(cause)),
  })
}

interface State {
  readonly at: ReadonlyArray<string>
  readonly depth: number
  readonly budget: { properties: number }
  /** The whole schema. */
  readonly root: JsonObject
}

const below = (state: State, ...steps: ReadonlyArray<string>): State => ({
  ...state,
  at: [...state.at, ...steps],
  depth: state.depth + 1,
})

const refuse = ({ at }: State, what: string): never => {
  throw new Unstrict(`${at.length === 0 ? "its root" : `\`${at.join(".")}\``} ${what}`)
}

const strict = (part: unknown, state: State): JsonObject => {
  if (!isRecord(part)) return refuse(state, "may be any value; give it a type")
  const tables = Object.fromEntries(
    ["$defs", "definitions"].flatMap((table) =>
      part[table] === undefined ? [] : [[table, each(recordOf(part, table), { ...state, at: [...state.at, table] })]],
    ),
  )
  return { ...alone(part, state), ...tables }
}

const alone = (part: JsonObject, state: State): JsonObject => {
  const reference = textOf(part, "$ref")
  if (reference !== undefined)
    return reference.startsWith("#")
      ? { $ref: reference }
      : refuse(state, `refers to ${reference}, outside of the schema`)
  const combined = recordsOf(part, "allOf")
  if (combined.length === 1) return alone({ ...part, allOf: undefined, ...combined[0] }, state)
  if (combined.length > 1) return refuse(state, "combines schemas by `allOf`; write them as one")
  for (const choice of ["anyOf", "oneOf"]) {
    const choices = part[choice]
    if (Array.isArray(choices) && beside.some((name) => name in part))
      return refuse(state, `has \`${choice}\` beside other members; move them into each choice`)
    if (Array.isArray(choices))
      return {
        ...about(part),
        anyOf: choices.map((one, at) => strict(one, { ...state, at: [...state.at, choice, String(at)] })),
      }
  }
  const values = "const" in part ? [part["const"]] : part["enum"]
  if (Array.isArray(values)) return { ...about(part), type: [...new Set(values.map(typeOf))], enum: values }
  const types = typeof part["type"] === "string" ? [part["type"]] : textsOf(part, "type")
  if (types.length > 1 && types.some((type) => type === "object" || type === "array"))
    return { anyOf: types.map((type) => alone({ ...part, type }, state)) }
  if (types.includes("object") || (types.length === 0 && part["properties"] !== undefined)) return object(part, state)
  if (types.includes("array")) return array(part, state)
  if (types.length === 0) return refuse(state, "may be any value; give it a type")
  const format = formats.has(part["format"]) ? { format: part["format"] } : {}
  return { ...Object.fromEntries(Object.entries(part).filter(([name]) => kept.has(name))), ...format }
}

/** What each choice would have to have too. */
const beside = ["properties", "required", "items"]

const about = (part: JsonObject): JsonObject =>
  typeof part["description"] === "string" ? { description: part["description"] } : {}

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : Number.isInteger(value) ? "integer" : typeof value

const each = (parts: JsonObject, state: State): JsonObject =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, strict(part, below(state, name))]))

const object = (part: JsonObject, state: State): JsonObject => {
  const properties = recordOf(part, "properties")
  const names = Object.keys(properties)
  const others = part["additionalProperties"]
  if (isRecord(others) || part["patternProperties"] !== undefined || (names.length === 0 && others !== false)) {
    return refuse(state, "is a record with open keys; list its properties, or use an array of keys and values")
  }
  const required = textsOf(part, "required")
  const unknown = required.find((name) => !names.includes(name))
  if (unknown !== undefined) return refuse(state, `requires \`${unknown}\`, which has no schema`)
  state.budget.properties -= names.length
  if (state.budget.properties < 0) return refuse(state, `exceeds the limit of ${maxProperties} properties`)
  if (state.depth > maxDepth) return refuse(state, `is deeper than ${maxDepth} levels`)
  const all = Object.entries(properties).map(([name, inside]) => {
    const property = strict(inside, below(state, "properties", name))
    const isOptional = !required.includes(name) && !admitsNull(inside, state.root)
    return [name, isOptional ? { anyOf: [property, { type: "null" }] } : property]
  })
  return {
    ...about(part),
    type: "object",
    properties: Object.fromEntries(all),
    required: names,
    additionalProperties: false,
  }
}

const array = (part: JsonObject, state: State): JsonObject => {
  if (!isRecord(part["items"]))
    return refuse(state, "is a list of any values, or a tuple; give all its `items` one schema")
  const { items, ...rest } = part
  const own = Object.fromEntries(Object.entries(rest).filter(([name]) => kept.has(name)))
  return { ...own, type: "array", items: strict(items, below(state, "items")) }
}

/** The schemas that a part may stand for: behind references and choices. */
const choicesOf = (part: unknown, root: JsonObject, seen = new Set<unknown>()): ReadonlyArray<JsonObject> => {
  if (!isRecord(part) || seen.has(part)) return []
  seen.add(part)
  const reference = textOf(part, "$ref")
  if (reference !== undefined) return choicesOf(at(root, reference), root, seen)
  const [only, ...others] = recordsOf(part, "allOf")
  if (only !== undefined && others.length === 0) return choicesOf({ ...part, allOf: undefined, ...only }, root, seen)
  const inner = ["anyOf", "oneOf"].flatMap((name) => recordsOf(part, name))
  return inner.length === 0 ? [part] : inner.flatMap((one) => choicesOf(one, root, seen))
}

const at = (root: JsonObject, reference: string): unknown =>
  reference
    .split("/")
    .slice(1)
    .reduce<unknown>((inside, step) => {
      const name = step.replaceAll("~1", "/").replaceAll("~0", "~")
      return isRecord(inside) ? inside[name] : Array.isArray(inside) ? inside[Number(name)] : undefined
    }, root)

const admitsNull = (part: unknown, root: JsonObject): boolean =>
  choicesOf(part, root).some((one) =>
    [one["type"], one["const"], one["enum"]].flat().some((value) => value === "null" || value === null),
  )

/** A value without the properties that are `null` because they are optional. */
const loosened = (value: unknown, parts: ReadonlyArray<unknown>, root: JsonObject): unknown => {
  const choices = [...new Set(parts.flatMap((part) => choicesOf(part, root)))]
  if (Array.isArray(value)) {
    const items = choices.map((one) => one["items"])
    return value.map((one) => loosened(one, items, root))
  }
  if (!isRecord(value)) return value
  const members = Object.entries(value).flatMap(([name, inside]) => {
    const known = choices.filter((one) => Object.hasOwn(recordOf(one, "properties"), name))
    const schemas = known.map((one) => recordOf(one, "properties")[name])
    const isOptional = known.some((one) => !textsOf(one, "required").includes(name))
    if (inside === null && isOptional && !schemas.some((one) => admitsNull(one, root))) return []
    return [[name, loosened(inside, schemas, root)] as const]
  })
  return Object.fromEntries(members)
}
