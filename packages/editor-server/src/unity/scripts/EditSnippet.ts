/**
 * `script_edit_snippet`: small edits at texts that stand in a file exactly once.
 */
import * as Effect from "effect/Effect"
import * as CheckedEdit from "./CheckedEdit.ts"
import * as ProjectFiles from "./ProjectFiles.ts"
import * as Refusal from "./Refusal.ts"
import * as Arg from "./ScriptArguments.ts"
import { basis, type Work } from "./ScriptProject.ts"
import * as ScriptText from "./ScriptText.ts"
import { snippet } from "./Snippets.ts"

interface Instruction {
  readonly operation: "delete" | "replace" | "insert"
  readonly anchor: { readonly target: string; readonly position?: "before" | "after" }
  readonly newText?: string
}

/** How many edits one call makes, and the longest anchor in characters. */
const [mostInstructions, longestAnchor] = [100, 10_000]

export const editSnippet: Work = Effect.fnUntraced(function* (args, { csharp, root }) {
  const instructions = (args["instructions"] ?? []) as ReadonlyArray<Instruction>
  if (instructions.length === 0) return yield* Refusal.refused("`instructions` is empty. Give at least one")
  if (instructions.length > mostInstructions) {
    return yield* Refusal.tooLarge(`More than ${mostInstructions} instructions. Make several calls`)
  }
  const file = yield* ProjectFiles.read(root, Arg.text(args, "path"), "write")
  const before = yield* CheckedEdit.parse(csharp, file)
  let text = file.text
  const edits: Array<object> = []
  for (const [at, { anchor, newText, operation }] of instructions.entries()) {
    const here = `instructions[${at}]`
    if (operation !== "delete" && newText === undefined) {
      return yield* Refusal.refused(`\`${here}.newText\` is missing. Give the text to ${operation}`)
    }
    if (anchor.target === "")
      return yield* Refusal.refused(`\`${here}.anchor.target\` is empty. Give a text of the file`)
    if (anchor.target.length > longestAnchor) {
      return yield* Refusal.tooLarge(
        `\`${here}.anchor.target\` has more than ${longestAnchor} characters. Use a part of it`,
      )
    }
    const found = once(text, anchor.target)
    if (typeof found === "string") {
      return yield* Refusal.refused(
        `\`${here}.anchor.target\` ${found} in ${file.path}; it must stand there exactly once. The file was not changed. Read the file with script_read and use a longer text`,
      )
    }
    const by = operation === "delete" ? "" : ScriptText.inEndingsOf(newText ?? "", file.text)
    const place = anchor.position === "before" ? found.start : found.end
    const span = operation === "insert" ? { start: place, end: place } : found
    text = ScriptText.replaced(text, [{ ...span, by }])
    edits.push({ operation, line: ScriptText.lineOf(text, span.start) })
  }
  yield* CheckedEdit.check(csharp, file, before, text, [])
  const isPreview = Arg.flag(args, "preview", false)
  if (!isPreview) yield* CheckedEdit.write(file, text)
  const lines = text.split("\n")
  return {
    path: file.path,
    ...basis,
    applied: !isPreview,
    changed: text !== file.text,
    edits: edits.map((edit) => ({ ...edit, snippet: snippet(lines, (edit as { line: number }).line, 2) })),
  }
})

/** Where a text stands, whatever ends its lines, if it does exactly once. */
const once = (text: string, target: string): { readonly start: number; readonly end: number } | string => {
  const plain = text.replaceAll("\r\n", "\n")
  const wanted = target.replaceAll("\r\n", "\n")
  const start = plain.indexOf(wanted)
  if (start < 0) return "does not stand"
  if (plain.indexOf(wanted, start + 1) >= 0) return "stands more than once"
  if (plain.length === text.length) return { start, end: start + wanted.length }
  const at = original(text, [start, start + wanted.length])
  return { start: at[0] ?? 0, end: at[1] ?? 0 }
}

/** The places in a text that places in it without carriage returns before line feeds come from; they are in order. */
const original = (text: string, places: ReadonlyArray<number>): ReadonlyArray<number> => {
  const found: Array<number> = []
  let removed = 0
  let next = text.indexOf("\r\n")
  for (const place of places) {
    while (next >= 0 && next - removed < place) {
      removed++
      next = text.indexOf("\r\n", next + 2)
    }
    found.push(place + removed)
  }
  return found
}
