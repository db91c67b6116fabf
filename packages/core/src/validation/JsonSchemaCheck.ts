/**
 * Checks values by a JSON Schema of draft 2020-12.
 */
import { dereference, type Schema, Validator } from "@cfworker/json-schema"
import * as Result from "effect/Result"

/** Says what of a value does not fit, each with its path; nothing for a value that fits. */
export type JsonSchemaCheck = (value: unknown) => ReadonlyArray<string>

/**
 * Makes the check of a schema, whose shape is valid. Fails with what is wrong with it.
 *
 * @param schema the schema, which is not changed
 */
export const make = (schema: Readonly<Record<string, unknown>>): Result.Result<JsonSchemaCheck, string> =>
  Result.try({
    try: () => {
      // Both add members to what they read.
      const parts = dereference(structuredClone(schema))
      const places = Object.values(parts).filter((part) => typeof part === "object")
      const missing = places.find(({ __absolute_ref__: place }) => place !== undefined && parts[place] === undefined)
      if (missing !== undefined) throw new Error(`nothing is at ${missing.$ref}`)
      const validator = new Validator(structuredClone(schema) as Schema, "2020-12", false)
      return (value: unknown) =>
        validator
          .validate(value)
          .errors.filter(({ keyword }) => !outer.has(keyword))
          .map(({ error, instanceLocation }) => {
            const path = instanceLocation.split("/").slice(1).join(".")
            return path === "" ? error : `${path}: ${error}`
          })
    },
    catch: (cause) => (cause instanceof Error ? cause.message : String(cause)),
  })

/** Errors that another error explains. */
const outer: ReadonlySet<string> = new Set([
  ...["properties", "patternProperties", "items", "prefixItems", "$ref", "allOf", "false"],
])
