/**
 * Validates the arguments of tools with this package's schemas, and reports the path of the first invalid one.
 *
 * @see docs/internals/promises.md, 15 and 24: no schema of a client runs
 */
import * as SchemaProblem from "@zain/core/SchemaProblem"
import { isRecord } from "@zain/process/JsonRpc"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

/** The members of a JSON Schema that are used here. */
export interface JsonSchema {
  readonly [key: string]: unknown
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: unknown
}

/** The arguments of one tool. */
export interface ToolArguments<A> {
  /** The schema that clients receive. */
  readonly schema: JsonSchema
  /** Reads the arguments of a call; fails with one sentence for the caller. */
  readonly read: (args: unknown) => Result.Result<A, string>
}

const pathOf = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Makes the arguments of one tool.
 *
 * @param codec the schema of the arguments; unknown keys are rejected
 * @param described further members of each argument's JSON Schema, such as descriptions
 * @param beside the names of arguments that are read elsewhere
 */
export const make = <A>(
  codec: Schema.Codec<A, unknown>,
  described: Readonly<Record<string, JsonSchema>> = {},
  beside: ReadonlyArray<string> = [],
): ToolArguments<A> => {
  const { definitions, schema: document } = Schema.toJsonSchemaDocument(codec)
  const properties: Record<string, JsonSchema> = {}
  for (const [name, property] of Object.entries((document as JsonSchema).properties ?? {})) {
    properties[name] = { ...property, ...described[name] }
  }
  const schema: JsonSchema = {
    ...document,
    properties,
    additionalProperties: false,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  }
  const decode = Schema.decodeUnknownResult(codec, { onExcessProperty: "error" })
  return {
    schema,
    read: (args) =>
      Result.mapError(decode(args ?? {}), (error) =>
        describe(error, properties, [...beside, ...Object.keys(properties)]),
      ),
  }
}

const describe = (
  error: Schema.SchemaError,
  properties: Readonly<Record<string, JsonSchema>>,
  names: ReadonlyArray<string>,
): string => {
  const path = (pathOf(error.issue).issues[0]?.path ?? []).map((part) => (typeof part === "object" ? part.key : part))
  const property = propertyAt({ properties }, path)
  const around = propertyAt({ properties }, path.slice(0, -1))
  const known = path.length === 1 ? names : Object.keys(around?.properties ?? {})
  const isUnknown = path.length > 0 && property === undefined && known.length > 0
  const it = path.length === 1 ? "this tool" : "it"
  const more = isUnknown ? `${it} takes ${known.join(", ")}` : property && expectation(property)
  return `${SchemaProblem.describe(error)}${more === undefined ? "" : `: ${more}`}.`
}

const propertyAt = (schema: JsonSchema, path: ReadonlyArray<PropertyKey>): JsonSchema | undefined =>
  path.reduce<JsonSchema | undefined>((at, key) => {
    if (typeof key === "number") return isRecord(at?.items) ? at.items : undefined
    return typeof key === "string" && Object.hasOwn(at?.properties ?? {}, key) ? at?.properties?.[key] : undefined
  }, schema)

/** The expected value of an argument, if a word describes it. */
const expectation = ({ enum: choices, maximum, minimum, type }: JsonSchema): string | undefined => {
  if (choices !== undefined) return `expected one of ${choices.map((one) => JSON.stringify(one)).join(", ")}`
  if (type === undefined) return undefined
  const from = minimum === undefined ? "" : ` from ${minimum}`
  return `expected ${article(type)}${from}${maximum === undefined ? "" : `${from === "" ? " up" : ""} to ${maximum}`}`
}

const article = (type: string): string => (/^[aeio]/.test(type) ? `an ${type}` : `a ${type}`)
