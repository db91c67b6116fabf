/**
 * The root of an answer's schema: both agents answer with objects only, so any other value becomes the member of one.
 *
 * @see Codex 0.169 and Claude Code 2.1.330: measured
 */
import { isRecord } from "@zain/process/JsonRpc"
import { type JsonObject, recordOf, textOf } from "./JsonMember.ts"

/** A schema whose values are objects. */
export interface OutputRoot {
  /** The schema for the agent. */
  readonly schema: JsonObject
  /** The value of the given schema in a value of `schema`. */
  readonly inner: (value: unknown) => unknown
}

const member = "answer"

/** Makes the root of a schema. */
export const make = (given: JsonObject): OutputRoot => {
  const schema = followed(given)
  if (isObject(schema)) return { schema, inner: (value) => value }
  const { $defs, definitions, ...rest } = schema
  const tables = {
    ...($defs === undefined ? {} : { $defs: moved($defs) }),
    ...(definitions === undefined ? {} : { definitions: moved(definitions) }),
  }
  return {
    schema: {
      type: "object",
      properties: { [member]: moved(rest) },
      required: [member],
      additionalProperties: false,
      ...tables,
    },
    inner: (value) => (isRecord(value) ? value[member] : value),
  }
}

/** The schema that a root refers to, in place of the reference. */
const followed = (schema: JsonObject): JsonObject => {
  const [, table = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(textOf(schema, "$ref") ?? "") ?? []
  const target = recordOf(schema, table)[name]
  if (!isRecord(target)) return schema
  const { $ref: _, ...rest } = schema
  return { ...rest, ...target }
}

const isObject = (schema: JsonObject): boolean =>
  schema["type"] === "object" && !["anyOf", "oneOf", "allOf", "$ref"].some((name) => name in schema)

/** A part of a schema, with its references to the root where that stands now. */
const moved = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(moved)
  if (!isRecord(part)) return part
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, name === "$ref" ? movedReference(value) : moved(value)]),
  )
}

const movedReference = (reference: unknown): unknown =>
  typeof reference === "string" && /^#($|\/(?!\$defs\/|definitions\/))/.test(reference)
    ? `#/properties/${member}${reference.slice(1)}`
    : moved(reference)
