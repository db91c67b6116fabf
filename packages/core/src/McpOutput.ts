/**
 * The schema of a structured answer.
 */
import type * as Schema from "effect/Schema"
import type { StandardSchemaV1 } from "effect/StandardSchema"

/** A JSON Schema of draft 2020-12, as an object. */
export type JsonSchema = Readonly<Record<string, unknown>>

/**
 * The schema of an answer, in one of three forms: a JSON Schema; a schema of Effect; or a schema of another library that
 * implements Standard Schema, such as Zod, Valibot or ArkType. `A` is the type of a value that fits; `unknown` for JSON
 * Schema.
 *
 * @see https://standardschema.dev
 */
export type McpOutput<A = unknown> = Schema.ConstraintDecoder<A> | StandardSchemaV1<unknown, A> | JsonSchema
