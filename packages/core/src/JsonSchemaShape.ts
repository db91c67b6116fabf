/**
 * Checks that a value has the shape of a JSON Schema. Only the table below is applied: no reference is followed, and no
 * pattern or schema of a server is compiled.
 *
 * @see JSON Schema 2020-12 and draft-07, the meta-schemas
 */
import * as Predicate from "effect/Predicate"
/** A part of a schema that is not valid. */
export interface ShapeFault {
  /** The path from the root of the schema, such as `["properties", "size", "type"]`, exactly as the server sent it. */
  readonly at: ReadonlyArray<string | number>
  /** The fault, as the predicate of a sentence. */
  readonly what: string
}

/** How many more parts of schemas may be examined. */
export interface Budget {
  /** The number of parts; each examined one reduces it. */
  parts: number
}

/**
 * Finds the first fault of a schema. Parts that are nested deeper than 64 levels are not examined, and none once the budget
 * is used up.
 *
 * @param schema any value; only an object is a schema with parts
 * @param budget how many parts may be examined; it is reduced
 * @param isOfTool whether it is the schema of a tool, whose properties the official SDK's client takes as objects only
 */
export const fault = (schema: unknown, budget: Budget, isOfTool = false): ShapeFault | undefined => {
  const { $schema } = Predicate.isObject(schema) ? schema : {}
  const isOld = typeof $schema === "string" && older.test($schema)
  return examine(schema, { isOld, isOfTool, depth: 0, budget })
}

/** Dialects in which `items` may be a list, as `prefixItems` is since 2020-12. */
const older = /\/draft-0[3-7]\/|\/2019-09\//

const maxDepth = 64
const maxCompared = 10_000

interface State {
  readonly isOld: boolean
  readonly isOfTool: boolean
  readonly depth: number
  readonly budget: Budget
}

/** `needs`: the expected value, in words. `holds`: where the value contains schemas. */
interface Keyword {
  readonly needs: string
  readonly is: (value: unknown) => boolean
  readonly holds?: "schema" | "list" | "map"
}

const isText = (value: unknown): value is string => typeof value === "string"
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every(isText) && (value.length > maxCompared || new Set(value).size === value.length)
const types: ReadonlySet<unknown> = new Set(["null", "boolean", "object", "array", "number", "string", "integer"])
const isSchema = (value: unknown): boolean => typeof value === "boolean" || Predicate.isObject(value)

const schema: Keyword = { needs: "a schema", is: isSchema, holds: "schema" }
const list: Keyword = {
  needs: "a list of schemas that is not empty",
  is: (value) => Array.isArray(value) && value.length > 0,
  holds: "list",
}
const map: Keyword = { needs: "an object of schemas", is: Predicate.isObject, holds: "map" }
const text: Keyword = { needs: "a string", is: isText }
const flag: Keyword = { needs: "true or false", is: (value) => typeof value === "boolean" }
const count: Keyword = {
  needs: "a whole number that is not negative",
  is: (value) => Number.isInteger(value) && Number(value) >= 0,
}
const number: Keyword = { needs: "a number", is: (value) => typeof value === "number" }
const values: Keyword = { needs: "a list", is: Array.isArray }

const named = (keyword: Keyword, names: string) => names.split(" ").map((name) => [name, keyword] as const)

const keywords: ReadonlyMap<string, Keyword> = new Map([
  ...named(schema, "items additionalItems contains not if then else additionalProperties propertyNames contentSchema"),
  ...named(schema, "unevaluatedItems unevaluatedProperties"),
  ...named(list, "allOf anyOf oneOf prefixItems"),
  ...named(map, "properties patternProperties $defs definitions dependentSchemas"),
  ...named(text, "$schema $id $ref $anchor $dynamicRef $dynamicAnchor $comment title description pattern format"),
  ...named(text, "contentEncoding contentMediaType"),
  ...named(flag, "uniqueItems readOnly writeOnly deprecated"),
  ...named(count, "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains"),
  ...named(number, "minimum maximum exclusiveMinimum exclusiveMaximum"),
  ...named(values, "enum examples"),
  ...named({ needs: "a list of different strings", is: isTexts }, "required"),
  [
    "type",
    {
      needs: "one of JSON Schema's types, or a list of different ones",
      is: (value) => types.has(value) || (Array.isArray(value) && isTexts(value) && isTypes(value)),
    },
  ],
  ["multipleOf", { needs: "a number above 0", is: (value) => typeof value === "number" && value > 0 }],
])

const isTypes = (value: ReadonlyArray<unknown>): boolean => value.length > 0 && value.every((one) => types.has(one))

const examine = (value: unknown, { budget, depth, isOfTool, isOld }: State): ShapeFault | undefined => {
  if (!isSchema(value)) return { at: [], what: "is not a schema, which is an object, true or false" }
  if (!Predicate.isObject(value) || depth > maxDepth || budget.parts-- <= 0) return undefined
  const state = { budget, depth: depth + 1, isOfTool, isOld }
  for (const [name, usual] of keywords) {
    if (!Object.hasOwn(value, name)) continue
    const inside = value[name]
    const keyword = isOld && name === "items" && Array.isArray(inside) ? list : usual
    if (!keyword.is(inside)) {
      const hint = name === "items" && Array.isArray(inside) ? ": since 2020-12 a list is `prefixItems`" : ""
      return { at: [name], what: `is not ${keyword.needs}${hint}` }
    }
    if (keyword.holds === undefined) continue
    const isRoot = isOfTool && depth === 0 && name === "properties"
    const found = keyword.holds === "schema" ? examine(inside, state) : first(inside, isRoot, state)
    if (found !== undefined) return below(name, found)
  }
  return undefined
}

/** The first fault of the schemas in a list or an object. */
const first = (parts: unknown, areObjects: boolean, state: State): ShapeFault | undefined => {
  for (const [name, part] of Array.isArray(parts) ? parts.entries() : members(parts)) {
    if (state.budget.parts <= 0) return undefined
    const found = areObjects && typeof part === "boolean" ? booleanProperty : examine(part, state)
    if (found !== undefined) return below(name, found)
  }
  return undefined
}

/** Yields entries one by one: building a list of all of them takes longer than parsing them. */
function* members(parts: unknown): Generator<[string, unknown]> {
  if (Predicate.isObject(parts)) for (const name in parts) yield [name, parts[name]]
}

const booleanProperty: ShapeFault = {
  at: [],
  what: "is true or false, which is valid JSON Schema but rejected by the official SDK's client",
}

const below = (step: string | number, { at, what }: ShapeFault): ShapeFault => ({ at: [step, ...at], what })
