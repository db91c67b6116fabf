/**
 * Reads the arguments of tools. Loaded with the first call: ajv takes milliseconds, and `initialize` does not need it.
 */

import type { Arguments, JsonSchema } from "@zain/editor-link/domain/Catalogue"
import { quoted } from "@zain/editor-link/domain/Quoted"
import { isRecord } from "@zain/process/JsonRpc"
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js"
import * as Result from "effect/Result"

/** The most characters of a name, a path or a pattern, and values of an array. */
const [maxStringLength, maxValues] = [1_024, 1_000]

/** Texts, which have no limit of their own; the alternatives of `anyOf`, which have numbers for names, are texts too. */
const texts = /^(target|newText|message|text|inputData|base64Data|prompt|\d+)$/

/** A schema with the bounds that clients do not see. */
const bounded = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema), (name, one) => {
    if (!isRecord(one)) return one
    const { enum: values, items = {}, type } = one
    if (type === "integer") return { ...one, minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
    if (type === "array") return Object.keys(items as object).length > 0 ? { ...one, maxItems: maxValues } : one
    const isName = [type].flat().includes("string") && values === undefined && !texts.test(name)
    return isName ? { ...one, maxLength: maxStringLength } : one
  })

/** The first problem ends a validation: its time is bounded by the size of the arguments. */
const ajv = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  strictNumbers: false,
  // A length is that of the string, in UTF-16. `unicode` is deprecated, which is logged.
  unicode: false,
  logger: false,
  validateSchema: false,
  verbose: true,
  // It doubles the time that the first call takes.
  code: { optimize: false },
})

const validators = new WeakMap<JsonSchema, ValidateFunction>()

const validatorOf = (schema: JsonSchema): ValidateFunction => {
  const validate = validators.get(schema) ?? ajv.compile(bounded(schema))
  validators.set(schema, validate)
  return validate
}

const named = (type: unknown) => (type === "null" ? "null" : /^[aeio]/.test(String(type)) ? `an ${type}` : `a ${type}`)

const expectation = ({ anyOf, enum: values, type }: JsonSchema): string =>
  Array.isArray(values)
    ? `one of ${values.map((value) => JSON.stringify(value)).join(", ")}`
    : (Array.isArray(anyOf) ? anyOf.map((one) => one.type) : [type].flat()).map(named).join(" or ")

const problem = ({ data, instancePath, keyword, params, parentSchema = {} }: ErrorObject): string => {
  const path = instancePath
    .slice(1)
    .replace(/\/(\d+)(?=\/|$)/g, "[$1]")
    .replaceAll("/", ".")
  const at = (name: string) => (path === "" ? name : `${path}.${name}`)
  if (keyword === "required" || keyword === "additionalProperties") {
    const { properties } = parentSchema
    const known = Object.keys(properties)
    // What is missing may be misspelt.
    const unknown = Object.keys(data as Arguments).find((name) => !known.includes(name))
    if (unknown === undefined) {
      const missing: string = params["missingProperty"]
      return `\`${at(missing)}\` is missing: expected ${expectation(properties[missing])}.`
    }
    return `${quoted(at(unknown))} is unknown: ${known.length === 0 ? "this takes no arguments" : `known are ${known.join(", ")}`}.`
  }
  if (keyword === "maxItems") return `\`${path}\` has more than ${maxValues} values. Make several calls.`
  if (keyword === "maxLength") return `\`${path}\` has more than ${maxStringLength} characters. Name a shorter one.`
  return `\`${path}\` is not valid: expected ${expectation(parentSchema)}.`
}

/** The arguments of a tool, or one sentence with the path of what is wrong. */
export const read = (schema: JsonSchema, args: unknown = {}): Result.Result<Arguments, string> => {
  if (!isRecord(args)) return Result.fail("`arguments` is not an object.")
  const validate = validatorOf(schema)
  if (validate(args)) return Result.succeed(args)
  // Of alternatives the last error is that of all.
  const error = validate.errors?.at(-1)
  // They hold what was judged.
  validate.errors = null
  return Result.fail(error === undefined ? "`arguments` is not valid." : problem(error))
}
