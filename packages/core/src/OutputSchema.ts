/**
 * Reads the schema of an answer, and checks answers by it.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "effect/StandardSchema"
import * as JsonSchemaShape from "./JsonSchemaShape.ts"
import { clip, type InvalidRequest, invalidConfig } from "./McpError.ts"
import type { JsonSchema } from "./McpOutput.ts"

/** A schema that was read. */
export interface OutputSchema {
  /** The schema for the agent; `undefined` if the library of the schema has no JSON Schema. */
  readonly json: JsonSchema | undefined
  /** Reads a value, or says what does not fit, a sentence each. */
  readonly check: (value: unknown) => Effect.Effect<Result.Result<unknown, ReadonlyArray<string>>>
}

/** Limits of a schema and of what is said about an answer. */
const [maxParts, maxProblems, maxProblemLength] = [20_000, 10, 300]

/**
 * Reads a schema.
 *
 * @param output `output` of a request, or another schema
 * @param member its name in messages
 */
export const read = (output: unknown, member = ofRequest): Effect.Effect<OutputSchema, InvalidRequest> => {
  if (isStandard(output)) return ofStandard(output, member)
  return isEffect(output) ? ofEffect(output, member) : ofJson(output as JsonSchema, member)
}

/**
 * The problem of a value that is no schema, as far as nothing need be loaded for it.
 *
 * @param output, member as for `read`
 */
export const problem = (output: unknown, member = ofRequest): string | undefined => {
  if (isStandard(output) || isEffect(output)) return undefined
  if (!Predicate.isObject(output)) {
    return `${member} is not a schema. Pass a JSON Schema, or a schema of Effect, Zod or another library that implements Standard Schema.`
  }
  const fault = JsonSchemaShape.fault(output, { parts: maxParts })
  return fault === undefined ? undefined : `${member} is not a JSON Schema: ${located(fault.at, fault.what)}.`
}

const ofRequest = "`output` of the request"

const isEffect = (value: unknown): boolean => "~effect/Schema/Schema" in Object(value)

type Standard = StandardSchemaV1<unknown, unknown> & {
  readonly "~standard": Partial<StandardJSONSchemaV1.Props<unknown, unknown>>
}

const isStandard = (value: unknown): value is Standard =>
  typeof (Object(value) as Partial<Standard>)["~standard"]?.validate === "function"

const refused = (member: string, what: string) => Effect.fail(invalidConfig(`${member} ${what}.`))

/** Loaded on demand, because nothing else of a client needs it. */
const ofEffect = Effect.fnUntraced(function* (schema: unknown, member: string) {
  const {
    String: text,
    toStandardJSONSchemaV1,
    toStandardSchemaV1,
  } = yield* Effect.promise(() => import("./validation/EffectSchema.ts"))
  // A bundle has its own copy of Effect, by which it cannot read the schemas of another.
  if (classOf((schema as Schema.Top).ast) !== classOf(text.ast)) {
    return yield* refused(
      member,
      "is a schema of another copy of Effect. Pass `Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(schema))`",
    )
  }
  const options = { parseOptions: { errors: "all" } } as const
  return yield* ofStandard(toStandardJSONSchemaV1(toStandardSchemaV1(schema as Schema.Codec<unknown>, options)), member)
})

/** The first class that an object descends from. */
const classOf = (value: object): unknown => {
  const parent: unknown = Object.getPrototypeOf(value)
  return parent === Object.prototype || typeof parent !== "object" || parent === null ? value : classOf(parent)
}

const ofStandard = (schema: Standard, member: string): Effect.Effect<OutputSchema, InvalidRequest> => {
  const { jsonSchema, validate, vendor } = schema["~standard"]
  const check: OutputSchema["check"] = (value) =>
    Effect.match(
      Effect.tryPromise(async () => validate(value)),
      {
        onFailure: ({ cause }) => Result.fail([wordsOf(cause)]),
        onSuccess: (checked) =>
          checked.issues === undefined
            ? Result.succeed(checked.value)
            : Result.fail(checked.issues.slice(0, maxProblems).map(sentence)),
      },
    )
  if (jsonSchema === undefined) return Effect.succeed({ json: undefined, check })
  const json = Result.flatMap(
    Result.try({
      try: () => jsonSchema.input({ target: "draft-2020-12" }),
      catch: (cause) => `cannot be converted to JSON Schema by ${vendor}: ${wordsOf(cause)}`,
    }),
    copied,
  )
  return Result.isFailure(json) ? refused(member, json.failure) : Effect.succeed({ json: json.success, check })
}

const sentence = ({ message, path = [] }: StandardSchemaV1.Issue): string =>
  located(
    path.map((step) => (typeof step === "object" ? step.key : step)),
    message,
  )

const located = (path: ReadonlyArray<PropertyKey>, message: string): string =>
  path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`

const wordsOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** A copy as JSON, without the keywords that say where the schema stands. */
const copied = (schema: JsonSchema): Result.Result<JsonSchema, string> =>
  Result.try({
    try: () => {
      const { $id: _id, $schema: _dialect, ...json } = JSON.parse(JSON.stringify(schema)) as JsonSchema
      return json
    },
    catch: (cause) => `is not JSON: ${wordsOf(cause)}`,
  })

const ofJson = Effect.fnUntraced(function* (schema: JsonSchema, member: string) {
  const copy = copied(schema)
  if (Result.isFailure(copy)) return yield* refused(member, copy.failure)
  const json = copy.success
  const { make } = yield* Effect.promise(() => import("./validation/JsonSchemaCheck.ts"))
  const made = make(json)
  if (Result.isFailure(made)) return yield* refused(member, `is not a JSON Schema: ${made.failure}`)
  const check: OutputSchema["check"] = (value) =>
    Effect.match(
      Effect.try(() => made.success(value)),
      {
        onFailure: ({ cause }) => Result.fail([wordsOf(cause)]),
        onSuccess: (problems) => (problems.length === 0 ? Result.succeed(value) : Result.fail(problems)),
      },
    )
  return { json, check }
})

/** What does not fit, bounded. */
export const bounded = (problems: ReadonlyArray<string>): ReadonlyArray<string> =>
  problems.slice(0, maxProblems).map((problem) => clip(problem, maxProblemLength))
