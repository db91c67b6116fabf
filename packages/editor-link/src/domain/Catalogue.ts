/**
 * The tools of an editor.
 */
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { DomainError } from "./DomainError.ts"
import type { OperationResult } from "./OperationResult.ts"
import type { Sample } from "./Sample.ts"

/** A JSON Schema, as clients see it. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** What a tool does: `read` changes nothing, `write` changes the project, `execute` runs something. */
export type Scope = "read" | "write" | "execute"

/** The arguments of a call, by name. */
export type Arguments = Readonly<Record<string, unknown>>

/** What the `run` of a tool can use. */
export interface ToolContext {
  /**
   * Sends a call to the editor, in the tool's place in the queue.
   *
   * @param options `isRepeatable`: whether the call may be sent once more if its outcome was lost
   */
  readonly send: (
    method: string,
    params: Arguments,
    options?: { readonly isRepeatable?: boolean; readonly timeoutMs?: number },
  ) => Effect.Effect<unknown, DomainError>
  /** Requests an answer of the client's model within the call's time; absent if the client does not declare `sampling`. */
  readonly sample?: Sample | undefined
  /** Sends a progress notification to the client. */
  readonly progress: (message: string) => void
  /** The directory of the editor's project; fails if it is unknown. */
  readonly project: Effect.Effect<string, DomainError>
  /** How long a tool that waits may take, in milliseconds. */
  readonly longTimeout: number
}

/** A tool of an editor. */
export interface EditorTool {
  /** Its name for clients, and the method that the editor receives. */
  readonly name: string
  /** For the model. */
  readonly description: string
  /** The schema of its arguments, of type `object`. */
  readonly inputSchema: JsonSchema
  /** The schema of `structuredContent`, also of failures. */
  readonly outputSchema?: JsonSchema
  /** MCP's annotations, such as `readOnlyHint`. */
  readonly annotations?: Readonly<Record<string, boolean | string>>
  /** Whether lists omit it; a call fails with the reason. */
  readonly isHidden?: boolean
  /** The category that is omitted for clients with a limit on tools. */
  readonly category?: string
  /** Returns the scope of a call. A lost call is sent again only if it is `read`: return `write` if in doubt. */
  readonly scopeOf: (args: Arguments) => Scope
  /** Validates arguments; fails with one sentence that has the path of the invalid value. A promise while it loads what it needs. */
  readonly read: (args: unknown) => Result.Result<Arguments, string> | Promise<Result.Result<Arguments, string>>
  /** Runs the tool in this server. Default: the editor receives the tool's name and arguments. */
  readonly run?: (args: Arguments, context: ToolContext) => Effect.Effect<OperationResult, DomainError>
}

/** A tool with other members. What it makes when it is read is not made by that. */
export const alike = (tool: EditorTool, members: Partial<EditorTool>): EditorTool =>
  Object.defineProperties({ ...members } as EditorTool, {
    ...Object.getOwnPropertyDescriptors(tool),
    ...Object.getOwnPropertyDescriptors(members),
  })

/** How many names are suggested for an unknown one. */
const maxNear = 3

/** The names that are most like a name: those that share the most pairs of letters. */
export const near = (name: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const wanted = pairs(name)
  const scored = names.map((one) => {
    const own = pairs(one)
    const shared = [...own].filter((pair) => wanted.has(pair)).length
    return { one, score: (2 * shared) / (own.size + wanted.size || 1) }
  })
  return scored
    .filter(({ score }) => score >= 0.4)
    .sort((one, other) => other.score - one.score)
    .slice(0, maxNear)
    .map(({ one }) => one)
}

/** Which names are like an unknown one, in a sentence; `otherwise` where none is. */
export const hint = (name: string, names: ReadonlyArray<string>, otherwise: string): string => {
  const similar = near(name, names)
  return similar.length === 0 ? otherwise : `Similar names: ${similar.join(", ")}.`
}

/** The longest name that is compared, in code units. */
const maxNameLength = 256

const pairs = (name: string): ReadonlySet<string> => {
  const plain = name
    .slice(0, maxNameLength)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
  return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, at) => plain.slice(at, at + 2)))
}
