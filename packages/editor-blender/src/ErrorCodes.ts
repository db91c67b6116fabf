/**
 * The codes of failures: the category of each, and what can be done about it.
 */
import type { BridgeFailure } from "./Bridge.ts"

export type ErrorCategory = "USER_INPUT" | "PERMISSION" | "RESOURCE_NOT_FOUND" | "SYSTEM" | "OPERATION_FAILED"

interface Row {
  readonly category: ErrorCategory
  readonly suggestions: ReadonlyArray<string>
}

const row = (category: ErrorCategory, ...suggestions: ReadonlyArray<string>): Row => ({ category, suggestions })

/** Each code with its category and the suggestions of a failure that has none of its own. */
export const table = {
  INVALID_INPUT: row("USER_INPUT", "Check the input at `path` against the schema."),
  MISSING_FIELD: row("USER_INPUT", "Add the member that `path` names."),
  INVALID_VALUE: row("USER_INPUT", "Give a value that the schema allows at `path`."),
  VALIDATION_ERROR: row("USER_INPUT", "Read the resource blender://steps/schema, or the schema by introspection."),
  RESOURCE_NOT_FOUND: row("RESOURCE_NOT_FOUND", "Check the name. Files are below the directory of --files."),
  OBJECT_NOT_FOUND: row("RESOURCE_NOT_FOUND", "Read the names: { scene { objects(limit: 1000) { name } } }."),
  MATERIAL_NOT_FOUND: row("RESOURCE_NOT_FOUND", "Read the names: { scene { context { materials } } }."),
  SCENE_NOT_FOUND: row("RESOURCE_NOT_FOUND", "Open a file in Blender, then call again."),
  MODIFIER_NOT_FOUND: row(
    "RESOURCE_NOT_FOUND",
    'Read the names: { scene { object(name: "…") { modifiers { name } } } }.',
  ),
  OPERATION_FAILED: row("OPERATION_FAILED", "The scene is as it was. Change the operation, then call again."),
  OPERATION_TIMEOUT: row("OPERATION_FAILED", "Do less in one call, or give options.timeoutMs, up to 600000."),
  OPERATION_UNSUPPORTED: row("OPERATION_FAILED", "Write the steps yourself and give them to command.apply."),
  EXECUTION_ERROR: row(
    "OPERATION_FAILED",
    "Correct the code at the line that `details` names. The scene is as it was.",
  ),
  SYSTEM_ERROR: row("SYSTEM", "Check that Blender runs and that its bridge is started: zain-editor-mcp check blender."),
  INTERNAL_SERVER_ERROR: row("SYSTEM", "This is a defect. Update both parts; read the log (MCP_DEBUG=1)."),
  UNEXPECTED_ERROR: row("SYSTEM", "Read the log (MCP_DEBUG=1), and check the scene before calling again."),
  PERMISSION_DENIED: row("PERMISSION", "Start the server with the option that allows it: --files DIR or --code on."),
  AUTHENTICATION_FAILED: row("PERMISSION", "Start the bridge again in Blender: it writes a new token."),
  COMMAND_EXECUTION_FAILED: row("OPERATION_FAILED", "Say it in other words, or give the steps to command.apply."),
  CODE_VALIDATION_FAILED: row("USER_INPUT", "Correct the Python syntax at the line that `details` names."),
  DANGEROUS_OPERATION: row(
    "PERMISSION",
    "Use bpy, bmesh, math, mathutils, numpy, random and time alone, or command.apply.",
  ),
} as const satisfies Readonly<Record<string, Row>>

export type ErrorCode = keyof typeof table

export const codes = Object.keys(table) as ReadonlyArray<ErrorCode>

/** A failure as clients see it: the type `Error` of the schema. */
export interface OperationError {
  readonly code: ErrorCode
  readonly message: string
  readonly category: ErrorCategory
  readonly details?: string
  readonly path?: ReadonlyArray<string>
  readonly suggestions: ReadonlyArray<string>
}

const codeOf = (code: string): ErrorCode => (Object.hasOwn(table, code) ? (code as ErrorCode) : "UNEXPECTED_ERROR")

const detailsOf = ({ details, line }: BridgeFailure): string | undefined => {
  if (line === undefined || details?.startsWith(`line ${line}`)) return details
  return details === undefined ? `line ${line}` : `line ${line}\n${details}`
}

/** A failure as an error of GraphQL that has no place in a document. */
export const ofGraphQl = (failure: BridgeFailure) => {
  const { message, ...extensions } = make(failure)
  return { message, extensions }
}

/** @param failure its code becomes one of the table; what it lacks comes from the table */
export const make = (failure: BridgeFailure): OperationError => {
  const code = codeOf(failure.code)
  const { category, suggestions } = table[code]
  const details = detailsOf(failure)
  const { path = [] } = failure
  return {
    code,
    message: failure.message,
    category,
    ...(details === undefined ? {} : { details }),
    ...(path.length === 0 ? {} : { path: path.map(String) }),
    suggestions: failure.suggestions?.length ? failure.suggestions : suggestions,
  }
}

/** The codes whose suggestions, where a failure has its own, are names. */
const ofNames: ReadonlySet<ErrorCode> = new Set(["OBJECT_NOT_FOUND", "MATERIAL_NOT_FOUND", "MODIFIER_NOT_FOUND"])

/** How people write a path: `steps[2].create.name`. */
const place = (path: ReadonlyArray<string>): string =>
  path.map((part, at) => (/^\d+$/.test(part) ? `[${part}]` : `${at === 0 ? "" : "."}${part}`)).join("")

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** All of an error in sentences, for a model that sees nothing else of it. */
export const sentences = ({ code, details, message, path, suggestions }: OperationError): string => {
  const isSaid = details !== undefined && message.toLowerCase().includes(details)
  const hasLine = details?.startsWith("line ") === true
  const where = path === undefined || hasLine || message.includes(place(path)) ? "" : ` (at ${place(path)})`
  const hasNames = ofNames.has(code) && suggestions !== table[code].suggestions
  return [
    `${message.replace(/\.$/, "")}${where}`,
    ...(details === undefined || isSaid ? [] : [details]),
    ...(hasNames ? [`Similar names: ${suggestions.join(", ")}`] : suggestions),
  ]
    .map(ended)
    .join(" ")
}
