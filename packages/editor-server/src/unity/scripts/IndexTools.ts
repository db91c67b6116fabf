/**
 * `code_index_build`, `code_index_update` and `code_index_status`: the index of what the project declares.
 */
import * as Effect from "effect/Effect"
import * as CodeIndex from "./CodeIndex.ts"
import * as ProjectFiles from "./ProjectFiles.ts"
import * as Refusal from "./Refusal.ts"
import * as Arg from "./ScriptArguments.ts"
import { basis, type Work } from "./ScriptProject.ts"

/** How many files one update names. */
const mostPaths = 1_000

export const indexBuild: Work = Effect.fnUntraced(function* (args, { csharp, index, progress }) {
  const scope = Arg.flag(args, "excludePackageCache", false) ? "own" : (Arg.optionalText(args, "scope") ?? "own")
  const built = yield* index.refresh(csharp, scope, { ...options(args), progress })
  return summary(built)
})

export const indexUpdate: Work = Effect.fnUntraced(function* (args, { csharp, index, progress, root }) {
  const paths = Arg.texts(args, "paths")
  if (paths.length > mostPaths) return yield* Refusal.tooLarge(`More than ${mostPaths} paths. Use code_index_build`)
  const clean = yield* Effect.forEach(paths, (path) => ProjectFiles.placeOf(root, path, "read"))
  const concurrency = Arg.whole(args, "concurrency", 1, 1, 16)
  const names = [...new Set(clean.map(({ path }) => path))]
  return summary(yield* index.update(csharp, names, { ...options(args), concurrency, progress }))
})

export const indexStatus: Work = Effect.fnUntraced(function* (_, { index }) {
  const { builtAt, files, stale, symbols } = yield* index.status
  return {
    ...basis,
    ready: files > 0 && stale === 0,
    files,
    symbols,
    stale,
    maxSymbols: CodeIndex.most,
    ...(builtAt === undefined ? {} : { builtAt }),
    note: "The tools that use the index parse changed files themselves",
  }
})

const options = (args: Parameters<Work>[0]): CodeIndex.RefreshOptions => ({
  throttleMs: Arg.whole(args, "throttleMs", 0, 0, 1_000),
  retry: Arg.whole(args, "retry", 0, 0, 5),
})

const summary = ({ failed, files, isWhole, parsed, symbols }: CodeIndex.Refreshed) => ({
  ...basis,
  files,
  parsed,
  symbols: symbols.length,
  ...(isWhole ? {} : { incomplete: true, failed }),
})
