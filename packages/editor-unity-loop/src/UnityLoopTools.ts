/**
 * The tools that Unity lists, as MCP has tools.
 *
 * @see docs/internals/editor-server-accepted.md, 000.15
 */

import type { EditorTool, JsonSchema } from "@zain/editor-link/domain/Catalogue"
import { isRecord } from "@zain/process/JsonRpc"
import * as Result from "effect/Result"

/** How many tools are read, and how long their texts may be, in characters. */
const maxTools = 1_000
const maxProperties = 200
const maxDescriptionLength = 8_192
const toolName = /^[a-zA-Z0-9_.-]{1,64}$/

const isText = (value: unknown): value is string => typeof value === "string"

/** A type that Unity names; others are none. */
const typeOf = (name: string): string | undefined =>
  /^(string|integer|number|boolean|array|object)$/.exec(name.toLowerCase().replace(/^(float|double)$/, "number"))?.[0]

/** Whether a default can be one of a type. */
const fits = (type: string | undefined, value: unknown): boolean => {
  if (value === null || value === undefined) return false
  if (type === undefined) return true
  if (type === "array") return Array.isArray(value)
  if (type === "integer") return Number.isInteger(value)
  return type === "object" ? isRecord(value) : typeof value === type
}

const property = (given: Readonly<Record<string, unknown>>): JsonSchema => {
  const { DefaultValue: initial, Description: description, Enum: names, Type } = given
  const choices = Array.isArray(names) ? names.filter(isText) : []
  // What Unity cannot name it calls a string.
  const isMisnamed = Type === "string" && typeof initial === "object" && initial !== null
  const type = isText(Type) && !isMisnamed ? typeOf(Type) : undefined
  const shown =
    isText(description) && description !== "" ? { description: description.slice(0, maxDescriptionLength) } : {}
  if (choices.length > 0) {
    // A number is the member's value, not its place: only of 0 the name is known.
    const name = initial === 0 ? choices[0] : initial
    return {
      type: "string",
      enum: [...new Set(choices)],
      ...shown,
      ...(choices.includes(name as string) ? { default: name } : {}),
    }
  }
  return {
    ...(type === undefined ? {} : { type }),
    ...(type === "array" ? { items: {} } : {}),
    ...shown,
    ...(fits(type, initial) ? { default: initial } : {}),
  }
}

const schema = (given: unknown): JsonSchema => {
  const { Properties, Required } = isRecord(given) ? given : {}
  const entries = Object.entries(isRecord(Properties) ? Properties : {}).slice(0, maxProperties)
  const properties = Object.fromEntries(
    entries.flatMap(([name, one]) => (isRecord(one) ? [[name, property(one)]] : [])),
  )
  const required = Array.isArray(Required)
    ? Required.filter((name) => isText(name) && Object.hasOwn(properties, name))
    : []
  return { type: "object", properties, ...(required.length === 0 ? {} : { required: [...new Set(required)] }) }
}

/** Arguments are not judged here: Unity does that. */
const anything = (args: unknown = {}) =>
  isRecord(args) ? Result.succeed(args) : Result.fail("`arguments` is no object.")

/** No tool of Unity's own list is known to change nothing. */
const scopeOf = () => "execute" as const

/** Reads Unity's list, and passes over what is no tool. A name stands once. */
export const read = (listed: unknown): ReadonlyArray<EditorTool> => {
  const tools = isRecord(listed) && Array.isArray(listed["Tools"]) ? listed["Tools"].slice(0, maxTools) : []
  const byName = new Map<string, EditorTool>()
  for (const tool of tools) {
    if (!isRecord(tool) || !isText(tool["name"]) || !toolName.test(tool["name"]) || byName.has(tool["name"])) continue
    const { description, name, parameterSchema } = tool
    byName.set(name, {
      name,
      description: isText(description) ? description.slice(0, maxDescriptionLength) : name,
      inputSchema: schema(parameterSchema),
      scopeOf,
      read: anything,
    })
  }
  return [...byName.values()]
}
