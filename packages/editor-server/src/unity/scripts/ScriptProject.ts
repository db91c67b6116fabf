/**
 * What the tools on scripts work with, and how each is run.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Arguments, ToolContext } from "../../domain/Catalogue.ts"
import type { DomainError } from "../../domain/DomainError.ts"
import * as OperationResult from "../../domain/OperationResult.ts"
import * as CodeIndex from "./CodeIndex.ts"
import * as CSharp from "./CSharp.ts"
import * as ProjectFiles from "./ProjectFiles.ts"

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
const mostProjects = 4

/** Makes tools of work. Indexes are shared by them; writes happen one after the other. */
export const runs = () => {
  const indexes = new Map<string, CodeIndex.CodeIndex>()
  const turn = Semaphore.makeUnsafe(1)
  const indexOf = (root: string) => {
    const index = indexes.get(root) ?? CodeIndex.make(root)
    indexes.delete(root)
    indexes.set(root, index)
    const [oldest] = indexes.keys()
    if (indexes.size > mostProjects && oldest !== undefined) indexes.delete(oldest)
    return index
  }
  const reading =
    (work: Work): Run =>
    (args, context) =>
      CSharp.oneOfTwo(
        Effect.scoped(
          Effect.gen(function* () {
            const root = yield* ProjectFiles.root(yield* context.project)
            const csharp = yield* CSharp.open
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
