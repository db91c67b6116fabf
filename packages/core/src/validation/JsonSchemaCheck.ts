/**
 * Checks values by a JSON Schema of draft 2020-12.
 */
import { dereference, type Schema, validate } from "@cfworker/json-schema"
import * as Result from "effect/Result"

/** Returns what of a value does not fit, each with its path; nothing for a value that fits. */
export type JsonSchemaCheck = (value: unknown) => ReadonlyArray<string>

/** A part of a schema, as the library keeps it. */
type Part = Schema & { readonly __absolute_ref__?: string }

/**
 * The most steps of a check, of one that names every problem, and the most values of an answer whose values are compared
 * with each other. Choices in recursive schemas take exponentially many steps.
 */
const [maxSteps, maxNaming, maxCompared] = [1_000_000, 50_000, 5_000]

/**
 * Makes the check of a schema, whose shape is valid. Fails with what is wrong with it.
 *
 * @param schema the schema, which is not changed
 */
export const make = (schema: Readonly<Record<string, unknown>>): Result.Result<JsonSchemaCheck, string> =>
  Result.try({
    try: () => {
      const copy = structuredClone(schema) as Schema
      const parts = dereference(copy)
      let steps = 0
      for (const part of Object.values(parts)) {
        if (typeof part === "object") prepare(part, parts, () => steps--)
      }
      const isCompared = JSON.stringify(schema).includes('"uniqueItems":true')
      const check = (value: unknown, isBrief: boolean, max: number) => {
        steps = max
        return validate(value, copy, "2020-12", parts, isBrief)
      }
      return (value: unknown) => {
        if (isCompared && sizeOf(value) > maxCompared) {
          return [`has more than ${maxCompared} values, too many to compare`]
        }
        const brief = check(value, true, maxSteps)
        if (brief.valid) return []
        const whole = Result.try(() => check(value, false, maxNaming))
        return sentences((Result.isSuccess(whole) ? whole.success : brief).errors)
      }
    },
    catch: (cause) => (cause instanceof Error ? cause.message : String(cause)),
  })

/** Formats whose expressions take linear time. Others are annotations, as the specification has them by default. */
const formats: ReadonlySet<unknown> = new Set(["date", "date-time", "time", "duration", "ipv4", "ipv6", "uuid"])

/** @param left returns how many steps are left, and takes one */
const prepare = (part: Part, parts: Readonly<Record<string, unknown>>, left: () => number) => {
  const { __absolute_ref__: place, $ref, format, pattern, patternProperties = {} } = part
  if (place !== undefined && parts[place] === undefined) throw new Error(`nothing is at ${$ref}`)
  if ("$dynamicRef" in part) throw new Error("`$dynamicRef` is not supported")
  for (const expression of [...(pattern === undefined ? [] : [pattern]), ...Object.keys(patternProperties)]) {
    new RegExp(expression, "u")
  }
  if (!formats.has(format)) delete part.format
  // The library reads this keyword of an earlier draft once for each step.
  Object.defineProperty(part, "$recursiveAnchor", {
    get: () => {
      if (left() <= 0) throw new Error("it takes too many steps to check")
    },
  })
}

const sentences = (errors: ReturnType<typeof validate>["errors"]): ReadonlyArray<string> =>
  errors
    .filter(({ keyword }) => !outer.has(keyword))
    .map(({ error, instanceLocation }) => {
      const path = instanceLocation.split("/").slice(1).join(".")
      return path === "" ? error : `${path}: ${error}`
    })

/** How many values a value has in all, at most one more than are compared. */
const sizeOf = (value: unknown): number => {
  const waiting = [value]
  let size = 0
  while (waiting.length > 0 && size <= maxCompared) {
    const one = waiting.pop()
    size++
    if (typeof one === "object" && one !== null) for (const inside of Object.values(one)) waiting.push(inside)
  }
  return size
}

/** Errors that another error explains. */
const outer: ReadonlySet<string> = new Set([
  ...["properties", "patternProperties", "items", "prefixItems", "$ref", "allOf", "false"],
])
