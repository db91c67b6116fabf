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

export type Arguments = Readonly<Record<string, unknown>>

/**
 * What a tool's own code may use.
 *
 * - `send`: asks the editor, in the tool's place in the queue; `isRepeatable`: whether the call may be sent again once if its
 *   outcome was lost
 * - `sample`: asks the client's model, for as long as the call may take; absent where the client does not offer it
 * - `progress`: reports to the client that the work goes on
 * - `project`: the directory of the editor's project, or why it is not known
 * - `longTimeout`: how long a tool that waits may take, in milliseconds
 */
export interface ToolContext {
  readonly send: (
    method: string,
    params: Arguments,
    options?: { readonly isRepeatable?: boolean; readonly timeoutMs?: number },
  ) => Effect.Effect<unknown, DomainError>
  readonly sample?: Sample | undefined
  readonly progress: (message: string) => void
  readonly project: Effect.Effect<string, DomainError>
  readonly longTimeout: number
}

/**
 * - `name`: as clients call it
 * - `inputSchema`: of its arguments
 * - `scopeOf`: its scope for given arguments
 * - `isHidden`: whether lists leave it out; its calls say why
 * - `category`: what it is left out by, where a client takes fewer tools
 * - `read`: its arguments, or one sentence with the path of what is wrong
 * - `run`: does the work; without it the editor does, by the same name
 */
export interface EditorTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly annotations?: Readonly<Record<string, boolean | string>>
  readonly isHidden?: boolean
  readonly category?: string
  readonly scopeOf: (args: Arguments) => Scope
  readonly read: (args: unknown) => Result.Result<Arguments, string>
  readonly run?: (args: Arguments, context: ToolContext) => Effect.Effect<OperationResult, DomainError>
}

/** How many names are suggested for an unknown one. */
const mostNear = 3

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
    .slice(0, mostNear)
    .map(({ one }) => one)
}

/** The longest name that is compared, in code units. */
const longest = 256

const pairs = (name: string): ReadonlySet<string> => {
  const plain = name
    .slice(0, longest)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
  return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, at) => plain.slice(at, at + 2)))
}
