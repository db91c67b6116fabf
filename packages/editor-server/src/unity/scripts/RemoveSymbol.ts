/**
 * `script_remove_symbol`: removes a declaration that is not used.
 */
import * as Effect from "effect/Effect"
import * as CheckedEdit from "./CheckedEdit.ts"
import { commentsAbove, one } from "./EditStructured.ts"
import * as FindReferences from "./FindReferences.ts"
import { described } from "./FindSymbols.ts"
import type { Declared, Span } from "./Outline.ts"
import * as ProjectFiles from "./ProjectFiles.ts"
import * as References from "./References.ts"
import * as Refusal from "./Refusal.ts"
import { targetOf } from "./RenameSymbol.ts"
import * as Arg from "./ScriptArguments.ts"
import { basis, type Work } from "./ScriptProject.ts"
import * as ScriptText from "./ScriptText.ts"

export const removeSymbol: Work = Effect.fnUntraced(function* (args, project) {
  const { csharp, root } = project
  const namePath = Arg.text(args, "namePath")
  const file = yield* ProjectFiles.read(root, Arg.text(args, "path"), "write")
  const before = yield* CheckedEdit.parse(csharp, file)
  const symbol = yield* one(before.symbols, namePath, undefined, file.path)
  const references = Arg.flag(args, "failOnReferences", true) ? yield* uses(args, project, file.path, symbol) : []
  if (references.length > 0) {
    return yield* Refusal.refused(
      `${namePath} was not removed: it is used at ${references.slice(0, 10).join(", ")}${references.length > 10 ? " and elsewhere" : ""}. Remove the uses first, or call with failOnReferences false`,
      { references: references.slice(0, 100) },
    )
  }
  const part = extent(file.text, symbol)
  const after = ScriptText.replaced(file.text, [{ ...part, by: "" }])
  const kept = before.symbols.filter(({ span, variable }) => {
    const { end, start } = variable ?? span
    return !(start >= part.start && end <= part.end)
  })
  const parsed = yield* CheckedEdit.check(csharp, file, before, after, kept)
  const isEmpty = parsed.symbols.length === 0 && parsed.problems.length === 0
  const removesFile = isEmpty && Arg.flag(args, "removeEmptyFile", false)
  const isApplied = Arg.flag(args, "apply", false)
  if (isApplied) yield* CheckedEdit.write(file, removesFile ? undefined : after)
  return {
    path: file.path,
    ...basis,
    applied: isApplied,
    removed: described(symbol),
    fileRemoved: removesFile && isApplied,
    ...(isApplied ? {} : { text: file.text.slice(part.start, part.end).slice(0, 2_000) }),
  }
})

/** Where a symbol is used, outside of itself. Constructors and operators have no name of their own to be looked for. */
const uses = Effect.fnUntraced(function* (
  args: Parameters<Work>[0],
  project: Parameters<Work>[1],
  path: string,
  symbol: Declared,
) {
  if (/^(constructor|destructor|operator|indexer)$/.test(symbol.kind)) {
    return yield* Refusal.refused(
      `By syntax the uses of a ${symbol.kind} are not known. Check them and call with failOnReferences false`,
    )
  }
  const { known, target } = yield* targetOf(project, path, Arg.text(args, "namePath"))
  const judge = References.judge(known, target)
  const found = yield* FindReferences.everywhere(project, "own", target.name)
  return found.flatMap(({ file, occurrences }) =>
    occurrences.flatMap((occurrence) => {
      const isWithin =
        file.path === path && occurrence.span.start >= symbol.span.start && occurrence.span.end <= symbol.span.end
      const isUse = occurrence.role !== "declaration" && judge(occurrence) !== "no"
      return isUse && !isWithin ? `${file.path}:${occurrence.line}` : []
    }),
  )
})

/** What goes with a symbol: the comments above it, the rest of its lines, and a comma. */
const extent = (text: string, { kind, span, variable }: Declared): Span => {
  const own = variable ?? span
  if (variable !== undefined || kind === "enumMember") {
    const behind = /^\s*,[ \t]*/.exec(text.slice(own.end))?.[0].length ?? 0
    const ahead = /,\s*$/.exec(text.slice(0, own.start).slice(-1_000))?.[0].length ?? 0
    if (variable !== undefined) {
      return behind > 0 ? { start: own.start, end: own.end + behind } : { start: own.start - ahead, end: own.end }
    }
    return lines(text, { start: own.start, end: own.end + behind })
  }
  return lines(text, own)
}

/** Whole lines, where nothing else stands on them. */
const lines = (text: string, { end, start }: Span): Span => {
  const first = ScriptText.lineStart(text, start)
  const last = ScriptText.lineEnd(text, end)
  if (text.slice(first, start).trim() !== "" || text.slice(end, last).trim() !== "") return { start, end }
  const from = commentsAbove(text, first)
  const next = text.indexOf("\n", last)
  const until = next < 0 ? text.length : next + 1
  // One of two empty lines around it goes too.
  const isBetween = /(^|\n)[ \t]*\r?\n$/.test(text.slice(0, from))
  const empty = isBetween ? /^[ \t]*\r?\n/.exec(text.slice(until, until + 1_000)) : null
  return { start: from, end: until + (empty?.[0].length ?? 0) }
}
