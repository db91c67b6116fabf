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
      const check = (isBrief: boolean) => new Validator(structuredClone(schema) as Schema, "2020-12", isBrief)
      const [brief, whole] = [check(true), check(false)]
      const isCompared = JSON.stringify(schema).includes('"uniqueItems":true')
      return (value: unknown) => {
        const size = sizeOf(value)
        if (isCompared && size > mostCompared) return [`has more than ${mostCompared} values, too many to compare`]
        const { errors, valid } = brief.validate(value)
        if (valid) return []
        const all = size > mostNamed ? errors : whole.validate(value).errors
        return all
          .filter(({ keyword }) => !outer.has(keyword))
          .map(({ error, instanceLocation }) => {
            const path = instanceLocation.split("/").slice(1).join(".")
            return path === "" ? error : `${path}: ${error}`
          })
      }
    },
    catch: (cause) => (cause instanceof Error ? cause.message : String(cause)),
  })

/** The most values of which each that does not fit is named, and that are compared with each other, which is quadratic. */
const [mostNamed, mostCompared] = [1_000, 5_000]

/** How many values a value has in all. */
const sizeOf = (value: unknown): number => {
  const waiting = [value]
  let size = 0
  for (let one = waiting.pop(); size <= mostCompared; one = waiting.pop()) {
    size++
    if (typeof one === "object" && one !== null) for (const inside of Object.values(one)) waiting.push(inside)
    if (waiting.length === 0) break
  }
  return size
}

/** Errors that another error explains. */
const outer: ReadonlySet<string> = new Set([
  ...["properties", "patternProperties", "items", "prefixItems", "$ref", "allOf", "false"],
])
