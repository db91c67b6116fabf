/**
 * `script_edit_snippet`: small edits at texts that stand in a file exactly once.
 */
import * as Effect from "effect/Effect"
import * as CheckedEdit from "./CheckedEdit.ts"
import * as ProjectFiles from "./ProjectFiles.ts"
import * as Refusal from "./Refusal.ts"
import * as Arg from "./ScriptArguments.ts"
import { basis, type Work } from "./ScriptProject.ts"
import type { Instruction } from "./SnippetEdits.ts"

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
  let longest = file.text.length
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
    longest += newText?.length ?? 0
  }
  if (longest > 2 * CheckedEdit.longest) {
    return yield* Refusal.tooLarge("The new texts are too long together. Make several calls")
  }
  const done = yield* csharp("edited", { text: file.text, instructions }, file.path)
  if ("problem" in done) {
    return yield* Refusal.refused(
      `\`instructions[${done.at}].anchor.target\` ${done.problem} in ${file.path}; it must stand there exactly once. The file was not changed. Read the file with script_read and use a longer text`,
    )
  }
  const { edits, text } = done
  yield* CheckedEdit.check(csharp, file, before, text, [])
  const isPreview = Arg.flag(args, "preview", false)
  if (!isPreview) yield* CheckedEdit.write(file, text)
  return {
    path: file.path,
    ...basis,
    applied: !isPreview,
    changed: text !== file.text,
    edits,
  }
})
