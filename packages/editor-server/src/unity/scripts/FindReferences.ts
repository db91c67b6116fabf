/**
 * `script_refs_find`, and what renaming and removing need of it: where a name is used.
 */
import * as Effect from "effect/Effect"
import type { DomainError } from "../../domain/DomainError.ts"
import { described, ofKind } from "./FindSymbols.ts"
import * as LocalNames from "./LocalNames.ts"
import type { Occurrence } from "./Occurrences.ts"
import * as ProjectFiles from "./ProjectFiles.ts"
import * as References from "./References.ts"
import * as Refusal from "./Refusal.ts"
import * as Arg from "./ScriptArguments.ts"
import { basis, type ScriptProject, type Work } from "./ScriptProject.ts"
import { budget, snippet } from "./Snippets.ts"

/** A file in which a name stands. `others`: where further names stand. */
export interface Found {
  readonly file: ProjectFiles.ReadScript
  readonly occurrences: ReadonlyArray<Occurrence>
  readonly others: ReadonlyArray<ReadonlyArray<Occurrence>>
}

/** How many bytes of files with a name are held at once. */
const mostHeld = 64 * 1_024 * 1_024

/** All files of a scope in which a name stands, and where. Fails where that is not sure to be all. */
export const everywhere = Effect.fnUntraced(function* (
  { csharp, progress, root }: ScriptProject,
  scope: string,
  name: string,
  others: ReadonlyArray<string> = [],
): Effect.fn.Return<ReadonlyArray<Found>, DomainError> {
  const walked = yield* ProjectFiles.walk(root, scope)
  if (!walked.isWhole) {
    return yield* Refusal.tooLarge("The project has more scripts than the tools look at. Use the editor's own tools")
  }
  const found: Array<Found> = []
  // A file can have a second path through a link.
  const seen = new Set<string>()
  let held = 0
  for (const [at, { path }] of walked.files.entries()) {
    if (at % 500 === 499) progress(`${at + 1} of ${walked.files.length} files looked at`)
    const file = yield* ProjectFiles.read(root, path)
    if (seen.has(file.place) || !file.text.includes(name)) continue
    seen.add(file.place)
    held += file.size
    if (held > mostHeld) {
      return yield* Refusal.tooLarge(
        `\`${name}\` stands in more than ${mostHeld} bytes of scripts. Use a more special name`,
      )
    }
    const [occurrences = [], ...rest] = yield* csharp(
      "occurrences",
      { text: file.text, names: [name, ...others] },
      path,
    )
    if (occurrences.length >= LocalNames.most) {
      return yield* Refusal.tooLarge(
        `\`${name}\` stands in ${path} more than ${LocalNames.most} times. Edit that file by hand`,
      )
    }
    if (occurrences.length > 0) found.push({ file, occurrences, others: rest })
  }
  return found
})

export const findReferences: Work = Effect.fnUntraced(function* (args, project) {
  const { csharp, index, progress, root } = project
  const name = Arg.text(args, "name").trim().split("/").at(-1) ?? ""
  if (name === "") return yield* Refusal.refused("`name` is empty. Name a type or a member")
  const scope = Arg.optionalText(args, "scope") ?? "own"
  const [container, namespace, path] = ["container", "namespace", "path"].map((each) => Arg.optionalText(args, each))
  const isKind = ofKind(Arg.optionalText(args, "kind"))
  const isFiltered = [container, namespace, path, args["kind"]].some((filter) => filter !== undefined)
  const refreshed = isFiltered ? yield* index.refresh(csharp, "own", { progress }) : undefined
  const declarations = (refreshed?.symbols ?? []).filter(
    (symbol) =>
      symbol.path.at(-1) === name &&
      isKind(symbol) &&
      (container === undefined || symbol.path.slice(0, -1).join("/").endsWith(container)) &&
      (namespace === undefined || symbol.namespace === namespace) &&
      (path === undefined || symbol.file === path),
  )
  if (isFiltered && declarations.length === 0) {
    return yield* Refusal.refused(`No declaration of \`${name}\` matches the filters. Find it with script_symbol_find`)
  }
  const known = References.project(refreshed?.symbols ?? [])
  const judge = isFiltered ? References.judge(known, References.target(known, declarations)) : everything
  const walked = yield* ProjectFiles.walk(root, scope)
  const [pageSize, perFile] = [
    Arg.whole(args, "pageSize", 50, 1, 1_000),
    Arg.whole(args, "maxMatchesPerFile", 5, 1, 1_000),
  ]
  const context = Arg.whole(args, "snippetContext", 1, 0, 50)
  const fits = budget(Arg.maxBytes(args))
  const files: Array<object> = []
  let [references, skipped, isTruncated] = [0, walked.skipped, !walked.isWhole]
  for (const each of walked.files) {
    const file = yield* Effect.result(ProjectFiles.read(root, each.path))
    if (file._tag === "Failure") skipped++
    if (file._tag === "Failure" || !file.success.text.includes(name)) continue
    const { text } = file.success
    const [occurrences = []] = yield* csharp("occurrences", { text, names: [name] }, each.path)
    const meant = occurrences.flatMap((occurrence) => {
      const verdict = judge(occurrence)
      return verdict === "no" ? [] : [{ occurrence, verdict }]
    })
    if (meant.length === 0) continue
    const lines = text.split("\n")
    const shown = meant.slice(0, Math.min(perFile, pageSize - references)).map(({ occurrence, verdict }) => ({
      line: occurrence.line,
      column: occurrence.column,
      ...(occurrence.role === "declaration" ? { declaration: occurrence.kind } : {}),
      ...(occurrence.member === "" ? {} : { in: occurrence.member }),
      ...(verdict === "yes" ? {} : { certainty: verdict }),
      snippet: snippet(lines, occurrence.line, context),
    }))
    const entry = { path: each.path, total: meant.length, references: shown }
    if (shown.length === 0 || !fits(entry)) {
      isTruncated = true
      break
    }
    files.push(entry)
    references += shown.length
  }
  return {
    name,
    ...basis,
    ...(isFiltered
      ? { declarations: declarations.slice(0, 20).map((each) => ({ path: each.file, ...described(each) })) }
      : {}),
    files,
    total: references,
    truncated: isTruncated,
    ...(skipped > 0 ? { skipped } : {}),
  }
})

/** Without filters every use of a name counts, but for local variables. */
const everything = ({ role }: Occurrence): References.Verdict => (role === "local" ? "no" : "yes")
