/**
 * Finds faults in the names and schemas of the tools that a server lists.
 */
import * as JsonSchemaShape from "@zain/core/JsonSchemaShape"
import { isRecord } from "@zain/process/JsonRpc"
import type { Clean } from "./ProbeIntroduction.ts"

/** A name of a listed tool that not every known client accepts, or a schema that MCP does not allow. */
export interface ToolFault {
  /**
   * The tool's name, cut after 256 characters with `…`; `number 3` for the third tool of the list if it has no name.
   */
  readonly tool: string
  /** The faulty member: `name`, or a path such as `inputSchema/properties/size/type`. */
  readonly at: string
  /** The fault, as the predicate of a sentence, such as `is missing`. */
  readonly what: string
}

/** Collects the faults of a list. */
export interface ToolFaults {
  /** Examines the tools of the next page. */
  readonly take: (tools: ReadonlyArray<unknown>) => void
  /** Returns the first fifty faults of names, then the first fifty of schemas. */
  readonly found: () => ReadonlyArray<ToolFault>
}

const maxFaults = 50
/** How many names are kept to find duplicates. */
const maxNames = 10_000
/** How many schemas are examined, those within schemas included. */
const maxParts = 50_000
const maxShownLength = 256
const maxStepLength = 64
const maxPathLength = 200
const maxNameLength = 64
/** MCP also allows dots, which Claude Desktop and models' APIs reject. */
const nameForm = /^[\w-]+$/

/** @param clean removes secrets from the server's names and shortens them */
export const make = (clean: Clean): ToolFaults => {
  const names: Array<ToolFault> = []
  const schemas: Array<ToolFault> = []
  const seen = new Set<string>()
  const budget = { parts: maxParts }
  let count = 0

  const nameFault = (name: unknown): string | undefined => {
    if (typeof name !== "string") return "is not a string"
    if (name === "") return "is empty"
    if (name.length > maxNameLength) return `has more than ${maxNameLength} characters`
    if (!nameForm.test(name)) return "has characters other than A-Z, a-z, 0-9, `_` and `-`"
    if (seen.has(name)) return "is the name of another tool too"
    if (seen.size < maxNames) seen.add(name)
    return undefined
  }
  const take = (tool: unknown) => {
    count++
    const { inputSchema, name, outputSchema } = isRecord(tool) ? tool : {}
    const shown = () => (typeof name === "string" && name !== "" ? clean(name, maxShownLength) : `number ${count}`)
    const what = nameFault(name)
    if (what !== undefined && names.length < maxFaults) names.push({ tool: shown(), at: "name", what })
    if (schemas.length === maxFaults) return
    const wrong =
      schemaFault("inputSchema", inputSchema, budget) ??
      (outputSchema === undefined ? undefined : schemaFault("outputSchema", outputSchema, budget))
    if (wrong !== undefined) schemas.push({ tool: shown(), at: path(wrong.at, clean), what: wrong.what })
  }
  return { take: (tools) => tools.forEach(take), found: () => [...names, ...schemas] }
}

/** The first three faults make the official SDK's client reject the whole list. */
const schemaFault = (
  member: string,
  schema: unknown,
  budget: JsonSchemaShape.Budget,
): JsonSchemaShape.ShapeFault | undefined => {
  if (schema === undefined) return { at: [member], what: "is missing" }
  if (!isRecord(schema)) return { at: [member], what: "is not an object" }
  if (schema["type"] !== "object") return { at: [member, "type"], what: 'is not "object"' }
  const found = JsonSchemaShape.fault(schema, budget, true)
  return found === undefined ? undefined : { at: [member, ...found.at], what: found.what }
}

/** A JSON pointer without its first slash, up to a length. */
const path = (steps: ReadonlyArray<string | number>, clean: Clean): string => {
  let shown = ""
  for (const step of steps) {
    if (shown.length > maxPathLength) return `${shown}/…`
    const key = typeof step === "number" ? String(step) : clean(step, maxStepLength)
    shown += `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`
  }
  return shown.slice(1)
}
