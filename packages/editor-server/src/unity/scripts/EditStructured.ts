/**
 * `script_edit_structured`: replaces a body, or inserts text before or after a declaration.
 */
import * as Effect from "effect/Effect"
import type { DomainError } from "../../domain/DomainError.ts"
import * as CheckedEdit from "./CheckedEdit.ts"
import { described, ofKind } from "./FindSymbols.ts"
import * as NamedSymbol from "./NamedSymbol.ts"
import type { Declared, Span } from "./Outline.ts"
import * as ProjectFiles from "./ProjectFiles.ts"
import * as Refusal from "./Refusal.ts"
import * as Arg from "./ScriptArguments.ts"
import { basis, type Work } from "./ScriptProject.ts"
import * as ScriptText from "./ScriptText.ts"
import { snippet } from "./Snippets.ts"

export const editStructured: Work = Effect.fnUntraced(function* (args, { csharp, root }) {
  const file = yield* ProjectFiles.read(root, Arg.text(args, "path"), "write")
  const before = yield* CheckedEdit.parse(csharp, file)
  const symbol = yield* one(before.symbols, Arg.text(args, "symbolName"), Arg.optionalText(args, "kind"), file.path)
  const operation = Arg.text(args, "operation")
  const newText = Arg.text(args, "newText")
  const part =
    operation === "replace_body"
      ? yield* bodyOf(symbol, newText, file.text)
      : yield* inserted(symbol, newText, file.text, operation === "insert_before")
  const after = ScriptText.replaced(file.text, [part])
  const isInside = ({ span }: Declared) => part.start <= span.start && span.end <= part.end && part.start < part.end
  const kept = before.symbols.filter((each) => !isInside(each))
  yield* CheckedEdit.check(csharp, file, before, after, kept)
  const isPreview = Arg.flag(args, "preview", false)
  if (!isPreview) yield* CheckedEdit.write(file, after)
  const line = ScriptText.lineOf(after, part.start + (part.by.length - part.by.trimStart().length))
  const count = part.by.trim().split("\n").length
  return {
    path: file.path,
    ...basis,
    applied: !isPreview,
    symbol: described(symbol),
    line,
    snippet: snippet(after.split("\n"), line + Math.min(count, 20) - 1, Math.min(count, 20) + 1),
  }
})

/** The one symbol of a name and a kind. */
export const one = <A extends Declared>(
  symbols: ReadonlyArray<A>,
  name: string,
  kind: string | undefined,
  path: string,
): Effect.Effect<A, DomainError> => {
  const found = NamedSymbol.named(symbols.filter(ofKind(kind)), name)
  const [symbol] = found
  const shown = JSON.stringify(name.slice(0, 200))
  if (symbol === undefined) {
    return Effect.fail(Refusal.refused(`${path} does not declare ${shown}. List its symbols with script_symbols_get`))
  }
  if (found.length === 1) return Effect.succeed(symbol)
  return Effect.fail(
    Refusal.refused(
      `${shown} means ${found.length} symbols of ${path}: ${NamedSymbol.places(found)}. Name one by its path or kind, or use script_edit_snippet`,
    ),
  )
}

interface Part extends Span {
  readonly by: string
}

const bodyOf = (symbol: Declared, newText: string, text: string): Effect.Effect<Part, DomainError> => {
  const by = ScriptText.inEndingsOf(newText.trim(), text)
  if (symbol.body === undefined) {
    return Effect.fail(Refusal.refused(`${symbol.path.join("/")} has no body. Use script_edit_snippet`))
  }
  if (!/^(\{.*\}|=>.*;)$/s.test(by)) {
    return Effect.fail(
      Refusal.refused("`newText` is not a body. Write it with its braces `{ … }`, or as an expression `=> …;`"),
    )
  }
  return Effect.succeed({ ...symbol.body, by })
}

/** Lines of their own, as deep as the symbol; before it means before its comments. */
const inserted = (
  symbol: Declared,
  newText: string,
  text: string,
  isBefore: boolean,
): Effect.Effect<Part, DomainError> => {
  const start = ScriptText.lineStart(text, symbol.span.start)
  const indent = /^[ \t]*/.exec(text.slice(start, symbol.span.start))?.[0] ?? ""
  const isAlone = text.slice(start, symbol.span.start).trim() === ""
  const blank = newText.slice(0, newText.length - newText.trimStart().length)
  const plain = newText.slice(blank.lastIndexOf("\n") + 1).trimEnd()
  if (plain.length + indent.length * ScriptText.lineOf(plain, plain.length) > CheckedEdit.longest) {
    return Effect.fail(Refusal.tooLarge("`newText` is too long where it is indented. Make several calls"))
  }
  const by = ScriptText.inEndingsOf(indented(plain, indent), text)
  const ending = ScriptText.lineEnding(text)
  if (isBefore) {
    const place = isAlone ? commentsAbove(text, start) : symbol.span.start
    const before = isAlone ? `${by}${ending}` : `${by.trimStart()}${ending}${indent}`
    return Effect.succeed({ start: place, end: place, by: before })
  }
  const end = ScriptText.lineEnd(text, symbol.span.end)
  const isLast = /^\s*(\/\/[^\n]*)?$/.test(text.slice(symbol.span.end, end))
  const place = isLast ? end : symbol.span.end
  return Effect.succeed({ start: place, end: place, by: `${ending}${by}${isLast ? "" : `${ending}${indent}`}` })
}

/** Text that is not indented is, unless a text over several lines could change by that. */
const indented = (text: string, indent: string): string =>
  /^[ \t]/.test(text) || /@"|"""/.test(text) ? text : text.replace(/^(?=[^\r\n])/gm, indent)

/** The start of the comment lines that are directly above a line. */
export const commentsAbove = (text: string, start: number): number => {
  let from = start
  while (from > 0) {
    const above = ScriptText.lineStart(text, from - 1)
    if (!/^\s*\/\//.test(text.slice(above, from))) break
    from = above
  }
  return from
}
