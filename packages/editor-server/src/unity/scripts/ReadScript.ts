/**
 * `script_read`: lines of a file.
 */
import * as Effect from "effect/Effect"
import * as ProjectFiles from "./ProjectFiles.ts"
import * as Refusal from "./Refusal.ts"
import * as Arg from "./ScriptArguments.ts"
import type { Work } from "./ScriptProject.ts"

export const readScript: Work = Effect.fnUntraced(function* (args, { root }) {
  const file = yield* ProjectFiles.read(root, Arg.text(args, "path"))
  const lines = file.text.split("\n")
  const first = Arg.whole(args, "startLine", 1, 1, Number.MAX_SAFE_INTEGER)
  const last = Arg.whole(args, "endLine", lines.length, 1, Number.MAX_SAFE_INTEGER)
  if (first > lines.length) {
    return yield* Refusal.refused(`${file.path} has ${lines.length} lines; startLine is ${first}. Use a smaller one`)
  }
  if (last < first) return yield* Refusal.refused(`endLine ${last} is before startLine ${first}. Exchange them`)
  const wanted = lines.slice(first - 1, last).map((line) => line.replace(/\r$/, ""))
  const { isWhole, lines: shown } = fitting(wanted, Arg.maxBytes(args))
  const end = first + shown.length - 1
  return {
    path: file.path,
    startLine: first,
    endLine: end,
    totalLines: lines.length,
    text: shown.join("\n"),
    ...(isWhole ? {} : { truncated: true, ...(end < lines.length ? { nextStartLine: end + 1 } : {}) }),
    ...(file.isExact ? {} : { note: "The file is not valid UTF-8: U+FFFD stands for what cannot be read" }),
  }
})

/** As many lines as fit; of a first line that does not, its beginning. */
const fitting = (wanted: ReadonlyArray<string>, most: number) => {
  let bytes = 0
  let count = 0
  for (const line of wanted) {
    bytes += Buffer.byteLength(line) + 1
    if (bytes > most) break
    count++
  }
  if (count > 0 || wanted.length === 0) return { lines: wanted.slice(0, count), isWhole: count === wanted.length }
  const beginning = Buffer.from(wanted[0] ?? "").subarray(0, most)
  return { lines: [beginning.toString("utf8").replace(/\uFFFD+$/, "")], isWhole: false }
}
