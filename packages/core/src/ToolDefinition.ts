/**
 * The definitions of a session's own tools, as an agent and its model receive them.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as JsonSchemaShape from "./JsonSchemaShape.ts"
import type { JsonSchema } from "./McpOutput.ts"

/** What an agent offers its model of one tool. */
export interface ToolDefinition {
  /** 1 to 64 letters, digits, `_` and `-`; no other tool of the session has it. */
  readonly name: string
  /** What the tool does, for the model: 1 to 4,096 characters. */
  readonly description: string
  /** The JSON Schema of the arguments, an object: at most 64 KiB as JSON. */
  readonly inputSchema: JsonSchema
}

/** How many tools a session may have, and how many bytes their definitions as JSON. */
const [maxTools, maxBytes] = [64, 256 * 1024]

/** The longest description, in characters, the largest schema as JSON, in bytes, and its parts that are examined. */
const [maxDescriptionLength, maxSchemaBytes, maxParts] = [4096, 64 * 1024, 20_000]

/** Agents name the tools of MCP servers so. */
const reserved = "mcp__"

/**
 * Reads definitions, of the caller or from a message.
 *
 * @param input a list of definitions; other members of them are left out
 * @returns the definitions, or what is wrong with them, as a sentence without its full stop that begins with the path, such
 *   as `tools.0.name`
 */
export const read = (input: unknown): Result.Result<ReadonlyArray<ToolDefinition>, string> => {
  if (!Array.isArray(input)) return Result.fail("`tools` must be a list")
  if (input.length > maxTools) return Result.fail(`\`tools\` must have at most ${maxTools} members`)
  const names = new Set<string>()
  const tools: Array<ToolDefinition> = []
  for (const [at, one] of input.entries()) {
    const { description, inputSchema, name } = Predicate.isObject(one) ? one : {}
    const wrong = nameProblem(name, names) ?? descriptionProblem(description) ?? schemaProblem(inputSchema)
    if (wrong !== undefined) return Result.fail(`\`tools.${at}.${wrong[0]}\` ${wrong[1]}`)
    tools.push({ name, description, inputSchema } as ToolDefinition)
  }
  const bytes = tools.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(tools))
  return bytes > maxBytes
    ? Result.fail(`\`tools\` have ${bytes} bytes of definitions, more than ${maxBytes}`)
    : Result.succeed(tools)
}

/** The path of a fault in a definition, and the fault as the predicate of a sentence. */
type Problem = readonly [path: string, what: string] | undefined

/** @param taken the names so far, to which this one is added */
const nameProblem = (name: unknown, taken: Set<string>): Problem => {
  if (typeof name !== "string" || !/^[\w-]{1,64}$/.test(name)) {
    return ["name", "must be 1 to 64 letters, digits, `_` and `-`"]
  }
  if (name.startsWith(reserved)) return ["name", `must not begin with \`${reserved}\``]
  if (taken.has(name)) return ["name", "is the name of another tool too"]
  taken.add(name)
  return undefined
}

const descriptionProblem = (description: unknown): Problem =>
  typeof description === "string" && description.length > 0 && description.length <= maxDescriptionLength
    ? undefined
    : ["description", `must be a text of 1 to ${maxDescriptionLength} characters`]

const schemaProblem = (schema: unknown): Problem => {
  if (!Predicate.isObject(schema) || (schema as JsonSchema)["type"] !== "object") {
    return ["input", 'must describe an object: its JSON Schema needs `type: "object"` at its root']
  }
  const fault = JsonSchemaShape.fault(schema, { parts: maxParts }, true)
  if (fault !== undefined) return [["input", ...fault.at].join(".").slice(0, 200), fault.what]
  const bytes = Buffer.byteLength(JSON.stringify(schema))
  return bytes > maxSchemaBytes
    ? ["input", `has ${bytes} bytes as JSON Schema, more than ${maxSchemaBytes}`]
    : undefined
}
