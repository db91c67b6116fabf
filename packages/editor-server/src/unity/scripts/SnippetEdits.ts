/**
 * Edits at texts that stand in a text exactly once, one after the other.
 */
import * as ScriptText from "./ScriptText.ts"
import { snippet } from "./Snippets.ts"

export interface Instruction {
  readonly operation: "delete" | "replace" | "insert"
  readonly anchor: { readonly target: string; readonly position?: "before" | "after" }
  readonly newText?: string
}

/** The edited text and where each edit is, or the first instruction whose anchor is not one place, and why. */
export type Edited =
  | { readonly text: string; readonly edits: ReadonlyArray<object> }
  | { readonly at: number; readonly problem: string }

export const edited = (whole: string, instructions: ReadonlyArray<Instruction>): Edited => {
  let text = whole
  const edits: Array<{ readonly operation: string; readonly line: number }> = []
  for (const [at, { anchor, newText = "", operation }] of instructions.entries()) {
    const found = once(text, anchor.target)
    if (typeof found === "string") return { at, problem: found }
    const by = operation === "delete" ? "" : ScriptText.inEndingsOf(newText, whole)
    const place = anchor.position === "before" ? found.start : found.end
    const span = operation === "insert" ? { start: place, end: place } : found
    text = ScriptText.replaced(text, [{ ...span, by }])
    edits.push({ operation, line: ScriptText.lineOf(text, span.start) })
  }
  const lines = text.split("\n")
  return { text, edits: edits.map((edit) => ({ ...edit, snippet: snippet(lines, edit.line, 2) })) }
}

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
