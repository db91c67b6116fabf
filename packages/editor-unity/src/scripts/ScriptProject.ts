/**
 * What the tools on scripts work with, and how each is run.
 */

import type { Arguments, ToolContext } from "@zain/editor-link/domain/Catalogue"
import type { DomainError } from "@zain/editor-link/domain/DomainError"
import * as OperationResult from "@zain/editor-link/domain/OperationResult"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as CodeIndex from "./CodeIndex.ts"
import * as CSharp from "./CSharp.ts"
import * as ScriptFiles from "./ScriptFiles.ts"

export interface ScriptProject {
  /** The project's directory, without links. */
  readonly root: string
  readonly index: CodeIndex.CodeIndex
  /** Parses and matches, as long as the call lasts. */
  readonly csharp: CSharp.CSharp
  readonly progress: (message: string) => void
}

/** What a tool on scripts does: what it gives is written as JSON. */
export type Work = (args: Arguments, project: ScriptProject) => Effect.Effect<object, DomainError>

export type Run = (args: Arguments, context: ToolContext) => Effect.Effect<OperationResult.OperationResult, DomainError>

/** How many projects keep an index. */
const maxProjects = 4

/** Makes tools of work. Indexes are shared by them; writes happen one after the other. */
export const runs = (open: typeof CSharp.open) => {
  const indexes = new Map<string, CodeIndex.CodeIndex>()
  const turn = Semaphore.makeUnsafe(1)
  const indexOf = (root: string) => {
    const index = indexes.get(root) ?? CodeIndex.make(root)
    indexes.delete(root)
    indexes.set(root, index)
    const [oldest] = indexes.keys()
    if (indexes.size > maxProjects && oldest !== undefined) indexes.delete(oldest)
    return index
  }
  const reading =
    (work: Work): Run =>
    (args, context) =>
      CSharp.oneOfTwo(
        Effect.scoped(
          Effect.gen(function* () {
            const root = yield* ScriptFiles.root(yield* context.project)
            const csharp = yield* open
            const { progress } = context
            return OperationResult.make(yield* work(args, { root, csharp, progress, index: indexOf(root) }))
          }),
        ),
      )
  const writing =
    (work: Work): Run =>
    (args, context) =>
      turn.withPermits(1)(reading(work)(args, context))
  return { reading, writing }
}

/** What results say of how they were found. */
export const basis = { basis: "by syntax" } as const

const text = (args: Arguments, name: string): string => optionalText(args, name) ?? ""

/** An empty text counts as none. */
const optionalText = (args: Arguments, name: string): string | undefined => {
  const value = args[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

const flag = (args: Arguments, name: string, otherwise: boolean): boolean => {
  const value = args[name]
  return typeof value === "boolean" ? value : otherwise
}

/** A whole number within bounds: the nearest bound for one outside of them. */
const whole = (args: Arguments, name: string, otherwise: number, min: number, max: number): number => {
  const value = args[name]
  if (typeof value !== "number" || Number.isNaN(value)) return otherwise
  return Math.min(max, Math.max(min, Math.floor(value)))
}

/** The bytes that a result may take: 64 KiB by default, at most 1 MiB. */
const maxBytes = (args: Arguments): number => whole(args, "maxBytes", 65_536, 1, 1_048_576)

const texts = (args: Arguments, name: string): ReadonlyArray<string> => {
  const value = args[name]
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : []
}

/** Reads arguments that are valid by the schema of their tool. */
export const Arg = { text, optionalText, flag, whole, maxBytes, texts }
