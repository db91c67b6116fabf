/**
 * `script_symbols_get` and `script_symbol_find`: what files declare.
 */
import * as Effect from "effect/Effect"
import type { Indexed } from "./CodeIndex.ts"
import type { Declared } from "./Outline.ts"
import * as ProjectFiles from "./ProjectFiles.ts"
import * as Arg from "./ScriptArguments.ts"
import { basis, type Work } from "./ScriptProject.ts"
import { budget } from "./Snippets.ts"

/** How many bytes of symbols, and how many of them, a result has. */
const [mostBytes, mostFound] = [131_072, 200]

export const symbolsGet: Work = Effect.fnUntraced(function* (args, { csharp, root }) {
  const { path, text } = yield* ProjectFiles.read(root, Arg.text(args, "path"))
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

export const symbolFind: Work = Effect.fnUntraced(function* (args, { csharp, index, progress }) {
  const name = Arg.text(args, "name").trim()
  const scope = Arg.optionalText(args, "scope") ?? "own"
  const refreshed = yield* index.refresh(csharp, scope, { progress })
  const isNamed = namedLike(name, Arg.flag(args, "exact", false))
  const isKind = ofKind(Arg.optionalText(args, "kind"))
  const found = refreshed.symbols.filter((symbol) => isNamed(symbol) && isKind(symbol))
  const shown = within(found.slice(0, mostFound).map((symbol) => ({ path: symbol.file, ...described(symbol) })))
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

export const described = ({ endLine, kind, line, namespace, path, signature }: Declared | Indexed) => ({
  name: path.at(-1) ?? "",
  namePath: path.join("/"),
  kind,
  ...(namespace === "" ? {} : { namespace }),
  line,
  endLine,
  signature,
})

const within = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> => {
  const fits = budget(mostBytes)
  const end = all.findIndex((each) => !fits(each))
  return end < 0 ? all : all.slice(0, end)
}
