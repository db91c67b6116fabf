/**
 * An edit of one file: its result is parsed before it is written.
 */
import * as Effect from "effect/Effect"
import type { DomainError } from "../../domain/DomainError.ts"
import type { CSharp } from "./CSharp.ts"
import type { Declared, Outline, SyntaxProblem } from "./Outline.ts"
import type { ReadScript } from "./ProjectFiles.ts"
import * as Refusal from "./Refusal.ts"
import * as ScriptWrites from "./ScriptWrites.ts"

/** What a text declares, and what is wrong with it. */
export interface Parsed extends Outline {
  readonly problems: ReadonlyArray<SyntaxProblem>
}

/** The largest text that is written, in characters. */
export const longest = 2 * 1_024 * 1_024

/** Parses a file that is to be edited. */
export const parse = (csharp: CSharp, file: ReadScript): Effect.Effect<Parsed, DomainError> =>
  file.isExact
    ? csharp("outline", { text: file.text }, file.path)
    : Effect.fail(Refusal.refused(`${file.path} is not valid UTF-8 and was not changed. Save it as UTF-8 first`))

/**
 * Parses the result of an edit. Fails where it has syntax errors that the file did not have, or does not keep what it is to
 * keep.
 *
 * @param kept the declarations that must be there afterwards
 */
export const check = Effect.fnUntraced(function* (
  csharp: CSharp,
  file: ReadScript,
  before: Parsed,
  after: string,
  kept: ReadonlyArray<Declared>,
): Effect.fn.Return<Parsed, DomainError> {
  if (after.length > longest)
    return yield* Refusal.tooLarge(`${file.path} would have more than ${longest} characters. Split it`)
  const parsed = yield* csharp("outline", { text: after }, file.path)
  const [first] = fresh(before.problems, parsed.problems)
  if (first !== undefined) {
    return yield* Refusal.refused(
      `The edit would break the syntax of ${file.path} at line ${first.line}, column ${first.column}: ${first.problem} in \`${first.context.slice(0, 120)}\`. The file was not changed. Correct the new text`,
      { line: first.line, column: first.column },
    )
  }
  const names = tally(parsed.symbols.map(nameOf))
  for (const [name, wanted] of tally(kept.map(nameOf))) {
    if ((names.get(name) ?? 0) < wanted) {
      return yield* Refusal.refused(
        `The edit would remove or move \`${name}\` of ${file.path}, which is not what it edits. The file was not changed. Check the braces of the new text`,
      )
    }
  }
  return parsed
})

/** Writes the result of an edit, unless there is no change. */
export const write = (file: ReadScript, after: string | undefined): Effect.Effect<void, DomainError> =>
  after === file.text ? Effect.void : ScriptWrites.apply([{ file, before: file.text, after }])

const nameOf = ({ kind, namespace, path }: Declared): string => `${namespace} ${kind} ${path.join("/")}`.trim()

const tally = (names: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** The problems that a text had not before. Fewer than before are none: a broken file is mended step by step. */
export const fresh = (
  before: ReadonlyArray<SyntaxProblem>,
  after: ReadonlyArray<SyntaxProblem>,
): ReadonlyArray<SyntaxProblem> => {
  if (after.length < before.length) return []
  const known = new Set(before.map(({ context, problem }) => `${problem} ${context}`))
  const unknown = after.filter(({ context, problem }) => !known.has(`${problem} ${context}`))
  return unknown.length > 0 || after.length === before.length ? unknown : after.slice(before.length)
}
