/**
 * What files declare: the tools that find it, those of its index, and the declarations that a path of names means.
 */
import * as Effect from "effect/Effect"
import * as CodeIndex from "./CodeIndex.ts"
import type { Declared } from "./Outline.ts"
import * as ScriptFiles from "./ScriptFiles.ts"
import { Arg, basis, type Work } from "./ScriptProject.ts"
import * as ScriptRefusal from "./ScriptRefusal.ts"
import { budget } from "./ScriptText.ts"

/** How many bytes of symbols, and how many of them, a result has. */
const [maxBytes, maxFound] = [131_072, 200]

/** `script_symbols_get`: what a file declares. */
export const symbolsGet: Work = Effect.fnUntraced(function* (args, { csharp, root }) {
  const { path, text } = yield* ScriptFiles.read(root, Arg.text(args, "path"))
  const { isWhole, problems, symbols } = yield* csharp("outline", { text }, path)
  const shown = within(symbols.map(described))
  return {
    path,
    ...basis,
    symbols: shown,
    ...(isWhole && shown.length === symbols.length ? {} : { truncated: true, total: symbols.length }),
    ...(problems.length === 0 ? {} : { syntaxErrors: problems.slice(0, 10) }),
  }
})

/** `script_symbol_find`: what the files of a scope declare. */
export const symbolFind: Work = Effect.fnUntraced(function* (args, { csharp, index, progress }) {
  const name = Arg.text(args, "name").trim()
  const scope = Arg.optionalText(args, "scope") ?? "own"
  const refreshed = yield* index.refresh(csharp, scope, { progress })
  const isNamed = namedLike(name, Arg.flag(args, "exact", false))
  const isKind = ofKind(Arg.optionalText(args, "kind"))
  const found = refreshed.symbols.filter((symbol) => isNamed(symbol) && isKind(symbol))
  const shown = within(found.slice(0, maxFound).map((symbol) => ({ path: symbol.file, ...described(symbol) })))
  return {
    ...basis,
    symbols: shown,
    total: found.length,
    ...(shown.length < found.length ? { truncated: true } : {}),
    ...(refreshed.isWhole ? {} : { incomplete: true, failed: refreshed.failed }),
  }
})

/** By a name, or by a path of names `Outer/Member`; a part of the last name unless it is to be exact. */
const namedLike = (name: string, isExact: boolean) => {
  const wanted = name.split("/")
  const last = wanted.pop()?.toLowerCase() ?? ""
  return ({ path }: Pick<Declared, "path">): boolean => {
    const around = path.slice(0, -1)
    const own = path.at(-1) ?? ""
    if (wanted.some((part, at) => part !== around[around.length - wanted.length + at])) return false
    return isExact ? own === name.split("/").at(-1) : own.toLowerCase().includes(last)
  }
}

/** Whether a symbol is of a kind, in any spelling: `enum_member` is `enumMember`. */
export const ofKind = (kind: string | undefined) => {
  const wanted = kind?.replace(/[\s_-]/g, "").toLowerCase()
  return (symbol: Pick<Declared, "kind">): boolean => wanted === undefined || symbol.kind.toLowerCase() === wanted
}

export const described = ({ endLine, kind, line, namespace, path, signature }: Declared | CodeIndex.Indexed) => ({
  name: path.at(-1) ?? "",
  namePath: path.join("/"),
  kind,
  ...(namespace === "" ? {} : { namespace }),
  line,
  endLine,
  signature,
})

const within = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> => {
  const fits = budget(maxBytes)
  const end = all.findIndex((each) => !fits(each))
  return end < 0 ? all : all.slice(0, end)
}

/**
 * The declarations that a path `Outer/Member` means: those whose whole path it is, else those whose path ends with it. It may
 * begin with the namespace.
 */
export const named = <A extends Pick<Declared, "path" | "namespace">>(
  symbols: ReadonlyArray<A>,
  namePath: string,
): ReadonlyArray<A> => {
  const wanted = namePath.split(/[/.]/).map((part) => part.trim())
  const ends = (path: ReadonlyArray<string>) =>
    wanted.length <= path.length && wanted.every((part, at) => part === path[path.length - wanted.length + at])
  const exact = symbols.filter(({ path }) => path.length === wanted.length && ends(path))
  if (exact.length > 0) return exact
  return symbols.filter(({ namespace, path }) => ends([...namespace.split("."), ...path]))
}

/** Where symbols are, for messages. */
export const places = (symbols: ReadonlyArray<Pick<Declared, "path" | "line" | "kind">>): string =>
  symbols
    .slice(0, 5)
    .map(({ kind, line, path }) => `${kind} ${path.join("/")} at line ${line}`)
    .join(", ")

/** How many files one update names. */
const maxPaths = 1_000

/** `code_index_build`, `code_index_update` and `code_index_status`: the index of what the project declares. */
export const indexBuild: Work = Effect.fnUntraced(function* (args, { csharp, index, progress }) {
  const scope = Arg.flag(args, "excludePackageCache", false) ? "own" : (Arg.optionalText(args, "scope") ?? "own")
  const built = yield* index.refresh(csharp, scope, { ...options(args), progress })
  return summary(built)
})

export const indexUpdate: Work = Effect.fnUntraced(function* (args, { csharp, index, progress, root }) {
  const paths = Arg.texts(args, "paths")
  if (paths.length > maxPaths) return yield* ScriptRefusal.tooLarge(`More than ${maxPaths} paths. Use code_index_build`)
  const clean = yield* Effect.forEach(paths, (path) => ScriptFiles.placeOf(root, path, "read"))
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
    maxSymbols: CodeIndex.maxDeclarations,
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
