/**
 * `script_search`: a text, an expression or a glob in the scripts of a project.
 */
import * as Effect from "effect/Effect"
import * as ProjectFiles from "./ProjectFiles.ts"
import * as Refusal from "./Refusal.ts"
import * as Arg from "./ScriptArguments.ts"
import type { Work } from "./ScriptProject.ts"
import { budget, snippet } from "./Snippets.ts"
import type { Pattern } from "./TextMatches.ts"

/** The longest pattern, in characters. */
const longest = 1_000

/** How long the expression of one search may be matched, in milliseconds. */
const mostMatching = 15_000

export const searchScripts: Work = Effect.fnUntraced(function* (args, { csharp, progress, root }) {
  const type = Arg.optionalText(args, "patternType") ?? "substring"
  const wanted = Arg.optionalText(args, "pattern")
  const isGlob = type === "glob"
  const include = (isGlob ? wanted : undefined) ?? Arg.optionalText(args, "include")
  const exclude = Arg.optionalText(args, "exclude")
  for (const [name, value] of Object.entries({ pattern: wanted, include, exclude })) {
    if ((value?.length ?? 0) > longest) {
      return yield* Refusal.tooLarge(`\`${name}\` has more than ${longest} characters. Search for a shorter part`)
    }
  }
  if (!isGlob && wanted === undefined) {
    return yield* Refusal.refused("`pattern` is missing. Give one, or use patternType glob with include")
  }
  const flags = [...new Set(Arg.texts(args, "flags").join(""))].filter((each) => !"gmy".includes(each)).join("")
  const problem = type === "regex" ? invalid(wanted ?? "", flags) : undefined
  if (problem !== undefined)
    return yield* Refusal.refused(`The pattern is not a regular expression: ${problem}. Correct it`)

  const walked = yield* ProjectFiles.walk(root, Arg.optionalText(args, "scope") ?? "own")
  const all = walked.files.map(({ path }) => path)
  const isAll = include === undefined && exclude === undefined
  const globbed = isAll ? all : yield* csharp("globbed", { paths: all, include, exclude }, "The glob")
  const startAfter = Arg.optionalText(args, "startAfter")
  const from = startAfter === undefined ? 0 : globbed.indexOf(startAfter) + 1
  if (startAfter !== undefined && from === 0) {
    return yield* Refusal.refused("`startAfter` names no file of this search. Use the cursor of the page before")
  }
  const sizes = new Map(walked.files.map(({ path, size }) => [path, size]))
  const limit = 1_024 * Arg.whole(args, "maxFileSizeKB", 1_024, 1, 2_048)
  const pageSize = Arg.whole(args, "pageSize", 20, 1, 1_000)
  const maxMatches = Arg.whole(args, "maxMatchesPerFile", 5, 1, 1_000)
  const context = Arg.whole(args, "snippetContext", 2, 0, 50)
  const detail = Arg.optionalText(args, "detail") ?? Arg.optionalText(args, "returnMode") ?? "snippets"
  const fits = budget(Arg.maxBytes(args))
  const pattern: Pattern = {
    text: wanted ?? "",
    isExpression: type === "regex",
    flags,
    isCodeOnly: Arg.flag(args, "codeOnly", true),
    ...filters(args),
  }

  const results: Array<object> = []
  let [cursor, last, skipped, matching, searched] = ["", startAfter, walked.skipped, 0, 0]
  for (const path of globbed.slice(from)) {
    if (results.length >= pageSize) {
      cursor = last ?? ""
      break
    }
    const size = sizes.get(path) ?? 0
    let found: object | undefined
    if (isGlob) found = { path, size }
    else if (size > limit) skipped++
    else {
      const file = yield* Effect.result(ProjectFiles.read(root, path))
      if (++searched % 500 === 0) progress(`${searched} of ${globbed.length - from} files searched`)
      if (file._tag === "Failure") skipped++
      else if (pattern.isExpression || file.success.text.includes(pattern.text)) {
        const { text } = file.success
        const before = performance.now()
        const lines = yield* csharp("matches", { text, pattern, most: maxMatches }, `The search in ${path}`)
        matching += performance.now() - before
        if (matching > mostMatching && pattern.isExpression) return yield* Refusal.slow("The search", mostMatching)
        if (lines.length > 0) found = described(path, text, lines, { maxMatches, detail, context })
      }
    }
    if (found !== undefined) {
      if (!fits(found)) {
        if (results.length > 0) cursor = last ?? ""
        else
          return yield* Refusal.tooLarge(
            `The matches in ${path} alone exceed maxBytes. Raise it, or use detail metadata`,
          )
        break
      }
      results.push(found)
    }
    last = path
  }
  return {
    results,
    files: results.length,
    ...(cursor === "" ? { truncated: !walked.isWhole } : { truncated: true, cursor }),
    ...(skipped > 0 ? { skipped } : {}),
  }
})

/** Why a text is no regular expression. */
const invalid = (source: string, flags: string): string | undefined => {
  if (/[^isu]/.test(flags)) return `flags are i, m, s and u, not ${flags.slice(0, 20)}`
  try {
    new RegExp(source, flags)
    return undefined
  } catch (cause) {
    return (cause as Error).message
  }
}

const filters = (args: Parameters<Work>[0]) =>
  Object.fromEntries(
    ["container", "namespace", "identifier"].flatMap((name) => {
      const value = Arg.optionalText(args, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

const described = (
  path: string,
  text: string,
  found: ReadonlyArray<number>,
  { context, detail, maxMatches }: { readonly maxMatches: number; readonly detail: string; readonly context: number },
): object => {
  const shown = found.slice(0, maxMatches)
  const more = found.length > maxMatches ? { moreMatches: true } : {}
  if (detail === "metadata") return { path, lines: shown, ...more }
  if (detail === "full") return { path, lines: shown, ...more, text: text.replaceAll("\r\n", "\n") }
  const lines = text.split("\n")
  return { path, matches: shown.map((line) => ({ line, snippet: snippet(lines, line, context) })), ...more }
}
