/**
 * The tools that edit a script or create one. The result is parsed before it is written.
 */

import type { DomainError } from "@zain/editor-link/domain/DomainError"
import * as Effect from "effect/Effect"
import type { CSharp } from "./CSharp.ts"
import type { Instruction } from "./CSharpThread.ts"
import { described, named, ofKind, places } from "./FindSymbols.ts"
import type { Declared, Outline, Span, SyntaxProblem } from "./Outline.ts"
import * as ScriptFiles from "./ScriptFiles.ts"
import { Arg, basis, type Work } from "./ScriptProject.ts"
import * as ScriptRefusal from "./ScriptRefusal.ts"
import * as ScriptText from "./ScriptText.ts"

/** What a text declares, and what is wrong with it. */
interface Parsed extends Outline {
  readonly problems: ReadonlyArray<SyntaxProblem>
}

/** The largest text that is written, in characters. */
const maxTextLength = 2 * 1_024 * 1_024

/** Parses a file that is to be edited. */
export const parse = (csharp: CSharp, file: ScriptFiles.ReadScript): Effect.Effect<Parsed, DomainError> =>
  file.isExact
    ? csharp("outline", { text: file.text }, file.path)
    : Effect.fail(ScriptRefusal.refused(`${file.path} is not valid UTF-8 and was not changed. Save it as UTF-8 first`))

/**
 * Parses the result of an edit. Fails where it has syntax errors that the file did not have, or does not keep what it is to
 * keep.
 *
 * @param kept the declarations that must be there afterwards
 */
export const check = Effect.fnUntraced(function* (
  csharp: CSharp,
  file: ScriptFiles.ReadScript,
  before: Parsed,
  after: string,
  kept: ReadonlyArray<Declared>,
): Effect.fn.Return<Parsed, DomainError> {
  if (after.length > maxTextLength)
    return yield* ScriptRefusal.tooLarge(`${file.path} would have more than ${maxTextLength} characters. Split it`)
  const parsed = yield* csharp("outline", { text: after }, file.path)
  const [first] = fresh(before.problems, parsed.problems)
  if (first !== undefined) {
    return yield* ScriptRefusal.refused(
      `The edit would break the syntax of ${file.path} at line ${first.line}, column ${first.column}: ${first.problem} in \`${first.context.slice(0, 120)}\`. The file was not changed. Correct the new text`,
      { line: first.line, column: first.column },
    )
  }
  const names = tally(parsed.symbols.map(nameOf))
  for (const [name, wanted] of tally(kept.map(nameOf))) {
    if ((names.get(name) ?? 0) < wanted) {
      return yield* ScriptRefusal.refused(
        `The edit would remove or move \`${name}\` of ${file.path}, which is not what it edits. The file was not changed. Check the braces of the new text`,
      )
    }
  }
  return parsed
})

/** Writes the result of an edit, unless there is no change. */
export const write = (file: ScriptFiles.ReadScript, after: string | undefined): Effect.Effect<void, DomainError> =>
  after === file.text ? Effect.void : ScriptFiles.apply([{ file, before: file.text, after }])

const nameOf = ({ kind, namespace, path }: Declared): string => `${namespace} ${kind} ${path.join("/")}`.trim()

const tally = (names: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** The problems that a text had not before. Fewer than before are none: a broken file is mended step by step. */
const fresh = (
  before: ReadonlyArray<SyntaxProblem>,
  after: ReadonlyArray<SyntaxProblem>,
): ReadonlyArray<SyntaxProblem> => {
  if (after.length < before.length) return []
  const known = new Set(before.map(({ context, problem }) => `${problem} ${context}`))
  const unknown = after.filter(({ context, problem }) => !known.has(`${problem} ${context}`))
  return unknown.length > 0 || after.length === before.length ? unknown : after.slice(before.length)
}

/** How many edits one call makes, and the longest anchor in characters. */
const [maxInstructions, maxAnchorLength] = [100, 10_000]

/** `script_edit_snippet`: small edits at texts that stand in a file exactly once. */
export const editSnippet: Work = Effect.fnUntraced(function* (args, { csharp, root }) {
  const instructions = (args["instructions"] ?? []) as ReadonlyArray<Instruction>
  if (instructions.length === 0) return yield* ScriptRefusal.refused("`instructions` is empty. Give at least one")
  if (instructions.length > maxInstructions) {
    return yield* ScriptRefusal.tooLarge(`More than ${maxInstructions} instructions. Make several calls`)
  }
  const file = yield* ScriptFiles.read(root, Arg.text(args, "path"), "write")
  const before = yield* parse(csharp, file)
  let max = file.text.length
  for (const [at, { anchor, newText, operation }] of instructions.entries()) {
    const here = `instructions[${at}]`
    if (operation !== "delete" && newText === undefined) {
      return yield* ScriptRefusal.refused(`\`${here}.newText\` is missing. Give the text to ${operation}`)
    }
    if (anchor.target === "")
      return yield* ScriptRefusal.refused(`\`${here}.anchor.target\` is empty. Give a text of the file`)
    if (anchor.target.length > maxAnchorLength) {
      return yield* ScriptRefusal.tooLarge(
        `\`${here}.anchor.target\` has more than ${maxAnchorLength} characters. Use a part of it`,
      )
    }
    max += newText?.length ?? 0
  }
  if (max > 2 * maxTextLength) {
    return yield* ScriptRefusal.tooLarge("The new texts are too long together. Make several calls")
  }
  const done = yield* csharp("edited", { text: file.text, instructions }, file.path)
  if ("problem" in done) {
    return yield* ScriptRefusal.refused(
      `\`instructions[${done.at}].anchor.target\` ${done.problem} in ${file.path}; it must stand there exactly once. The file was not changed. Read the file with script_read and use a longer text`,
    )
  }
  const { edits, text } = done
  yield* check(csharp, file, before, text, [])
  const isPreview = Arg.flag(args, "preview", false)
  if (!isPreview) yield* write(file, text)
  return {
    path: file.path,
    ...basis,
    applied: !isPreview,
    changed: text !== file.text,
    edits,
  }
})

/** `script_edit_structured`: replaces a body, or inserts text before or after a declaration. */
export const editStructured: Work = Effect.fnUntraced(function* (args, { csharp, root }) {
  const file = yield* ScriptFiles.read(root, Arg.text(args, "path"), "write")
  const before = yield* parse(csharp, file)
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
  yield* check(csharp, file, before, after, kept)
  const isPreview = Arg.flag(args, "preview", false)
  if (!isPreview) yield* write(file, after)
  const line = ScriptText.lineOf(after, part.start + (part.by.length - part.by.trimStart().length))
  const count = part.by.trim().split("\n").length
  return {
    path: file.path,
    ...basis,
    applied: !isPreview,
    symbol: described(symbol),
    line,
    snippet: ScriptText.snippet(after.split("\n"), line + Math.min(count, 20) - 1, Math.min(count, 20) + 1),
  }
})

/** The one symbol of a name and a kind. */
export const one = <A extends Declared>(
  symbols: ReadonlyArray<A>,
  name: string,
  kind: string | undefined,
  path: string,
): Effect.Effect<A, DomainError> => {
  const found = named(symbols.filter(ofKind(kind)), name)
  const [symbol] = found
  const shown = JSON.stringify(name.slice(0, 200))
  if (symbol === undefined) {
    return Effect.fail(ScriptRefusal.undeclared(path, shown))
  }
  if (found.length === 1) return Effect.succeed(symbol)
  return Effect.fail(
    ScriptRefusal.refused(
      `${shown} means ${found.length} symbols of ${path}: ${places(found)}. Name one by its path or kind, or use script_edit_snippet`,
    ),
  )
}

interface Part extends Span {
  readonly by: string
}

const bodyOf = (symbol: Declared, newText: string, text: string): Effect.Effect<Part, DomainError> => {
  const by = ScriptText.inEndingsOf(newText.trim(), text)
  if (symbol.body === undefined) {
    return Effect.fail(ScriptRefusal.refused(`${symbol.path.join("/")} has no body. Use script_edit_snippet`))
  }
  if (!/^(\{.*\}|=>.*;)$/s.test(by)) {
    return Effect.fail(
      ScriptRefusal.refused("`newText` is not a body. Write it with its braces `{ … }`, or as an expression `=> …;`"),
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
  if (plain.length + indent.length * ScriptText.lineOf(plain, plain.length) > maxTextLength) {
    return Effect.fail(ScriptRefusal.tooLarge("`newText` is too long where it is indented. Make several calls"))
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

/** `script_create_class`: a new file with a class. */
export const createClass: Work = Effect.fnUntraced(function* (args, { csharp, root }) {
  const className = Arg.text(args, "className")
  const namespace = Arg.optionalText(args, "namespace")
  const baseType = Arg.optionalText(args, "baseType")
  const usings = (Arg.optionalText(args, "usings") ?? "").split(/[,;\n]/).flatMap((each) => clean(each) ?? [])
  if (!isIdentifier(className)) {
    return yield* ScriptRefusal.refused(
      `className ${shown(className)} is not a C# identifier. Use letters, digits and _`,
    )
  }
  if (namespace !== undefined && !namespace.split(".").every(isIdentifier)) {
    return yield* ScriptRefusal.refused(
      `namespace ${shown(namespace)} is not one. Use identifiers with dots between them`,
    )
  }
  if (baseType !== undefined && !/^[\p{L}_][\p{L}\p{N}_.<>,[\]? ]*$/u.test(baseType)) {
    return yield* ScriptRefusal.refused(`baseType ${shown(baseType)} is not a type. Use a name such as MonoBehaviour`)
  }
  const wrong = usings.find((each) => !/^(static )?[\p{L}_][\p{L}\p{N}_.]*$/u.test(each))
  if (wrong !== undefined) {
    return yield* ScriptRefusal.refused(
      `usings has ${shown(wrong)}, which is not a namespace. Separate namespaces by commas`,
    )
  }
  const found = yield* ScriptFiles.placeOf(root, Arg.text(args, "path"), "write")
  if (found.isThere) {
    return yield* ScriptRefusal.refused(
      `${found.path} is there already and was not changed. Choose another path or edit it`,
    )
  }
  const needed = /^(MonoBehaviour|ScriptableObject)$/.test(baseType ?? "") ? ["UnityEngine"] : []
  const text = source({
    usings: [...new Set([...needed, ...usings])],
    namespace,
    head: `public ${Arg.flag(args, "partial", false) ? "partial " : ""}class ${className}${baseType === undefined ? "" : ` : ${baseType}`}`,
  })
  const { problems, symbols } = yield* csharp("outline", { text }, found.path)
  if (problems.length > 0 || symbols.length !== 1) {
    return yield* ScriptRefusal.refused(
      `The class would not be valid C#: ${problems[0]?.problem ?? "more than one declaration"}. Correct the arguments`,
    )
  }
  const isApplied = Arg.flag(args, "apply", false)
  if (isApplied) yield* ScriptFiles.create(found.path, found.place, text)
  return { path: found.path, ...basis, applied: isApplied, text }
})

const shown = (text: string): string => JSON.stringify(text.slice(0, 100))

/** `using System;` and `System` are the same. */
const clean = (using: string): string | undefined => {
  const plain = using
    .trim()
    .replace(/^using\s+/, "")
    .replace(/\s+/g, " ")
  return plain === "" ? undefined : plain
}

const source = ({
  head,
  namespace,
  usings,
}: {
  usings: ReadonlyArray<string>
  namespace: string | undefined
  head: string
}) => {
  const top = usings.length === 0 ? "" : `${usings.map((each) => `using ${each};\n`).join("")}\n`
  const own = `${head}\n{\n}\n`
  if (namespace === undefined) return top + own
  return `${top}namespace ${namespace}\n{\n${own.replace(/^(?=.)/gm, "    ")}}\n`
}

const keywords: ReadonlySet<string> = new Set(
  `abstract as base bool break byte case catch char checked class const continue decimal default delegate do double else enum
  event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is lock long
  namespace new null object operator out override params private protected public readonly ref return sbyte sealed short
  sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using virtual
  void volatile while`.split(/\s+/),
)

/** The longest identifier. */
const maxIdentifierLength = 256

export const isIdentifier = (text: string): boolean =>
  text.length <= maxIdentifierLength && /^[\p{L}_][\p{L}\p{N}_]*$/u.test(text) && !keywords.has(text)
