/**
 * The tools that rename a declaration with its uses, and remove one that has none.
 */

import type { DomainError } from "@zain/editor-link/domain/DomainError"
import * as Effect from "effect/Effect"
import * as CodeIndex from "./CodeIndex.ts"
import * as EditScripts from "./EditScripts.ts"
import * as References from "./FindReferences.ts"
import * as FindSymbols from "./FindSymbols.ts"
import type { Occurrence } from "./Occurrences.ts"
import { type Declared, type Span, typeKinds } from "./Outline.ts"
import * as ScriptFiles from "./ScriptFiles.ts"
import { Arg, basis, type ScriptProject, type Work } from "./ScriptProject.ts"
import * as ScriptRefusal from "./ScriptRefusal.ts"
import * as ScriptText from "./ScriptText.ts"

/** How many bytes of changes a result shows. */
const maxShownBytes = 65_536

/** `script_refactor_rename`: a declaration and its uses, in the project's own files. */
export const renameSymbol: Work = Effect.fnUntraced(function* (args, project) {
  const { csharp, progress, root } = project
  const newName = Arg.text(args, "newName")
  if (!EditScripts.isIdentifier(newName)) {
    return yield* ScriptRefusal.refused(
      `newName ${JSON.stringify(newName.slice(0, 100))} is not a C# identifier. Use letters, digits and _`,
    )
  }
  const { path } = yield* ScriptFiles.read(root, Arg.text(args, "relative"), "write")
  const { known, target } = yield* targetOf(project, path, Arg.text(args, "namePath"))
  if (newName === target.name) return yield* ScriptRefusal.refused(`newName is the name that it has. Choose another`)
  yield* free(known, target, newName)

  const found = yield* References.everywhere(project, "own", target.name, [newName])
  const judge = References.judgeOf(known, target)
  const judged = yield* Effect.forEach(found, (each) =>
    Effect.as(Effect.yieldNow, {
      ...each,
      meant: References.meantBy(judge, each.occurrences),
    }),
  )
  const unclear = judged.flatMap(({ file, meant }) =>
    meant.flatMap(({ occurrence, verdict }) => (verdict === "unclear" ? `${file.path}:${occurrence.line}` : [])),
  )
  if (unclear.length > 0) {
    return yield* ScriptRefusal.refused(
      `Nothing was renamed: by syntax it is unclear whether ${unclear.length} uses mean this \`${target.name}\` or another: ${unclear.slice(0, 10).join(", ")}. Write their types down, or edit them with script_edit_snippet`,
      { unclear: unclear.slice(0, 100) },
    )
  }
  const fits = ScriptText.budget(maxShownBytes)
  const changes: Array<ScriptFiles.Change> = []
  const files: Array<object> = []
  for (const { file, meant, others } of judged) {
    if (meant.length === 0) continue
    const hidden = hiding(
      meant.map(({ occurrence }) => occurrence),
      others[0] ?? [],
    )
    if (hidden !== undefined) {
      return yield* ScriptRefusal.refused(
        `Nothing was renamed: ${file.path}:${hidden.line} has a local \`${newName}\` where \`${target.name}\` is used. Choose another name`,
      )
    }
    const writable = yield* ScriptFiles.placeOf(root, file.path, "write")
    const before = yield* EditScripts.parse(csharp, file)
    const after = ScriptText.replaced(
      file.text,
      meant.map(({ occurrence }) => ({ ...occurrence.span, by: newName })),
    )
    yield* EditScripts.check(csharp, file, before, after, [])
    changes.push({ file: { ...file, place: writable.place }, before: file.text, after })
    const lines = after.split("\n")
    const shown = meant.slice(0, 50).map(({ occurrence, verdict }) => ({
      line: occurrence.line,
      snippet: ScriptText.snippet(lines, occurrence.line, 0).trim(),
      ...(verdict === "assumed" ? { certainty: verdict } : {}),
    }))
    const entry = { path: file.path, total: meant.length }
    const whole = { ...entry, changes: shown }
    files.push(fits(whole) ? whole : entry)
    progress(`${file.path}: ${meant.length} changes`)
  }
  const isPreview = Arg.flag(args, "preview", true)
  if (!isPreview) yield* ScriptFiles.apply(changes)
  return {
    ...basis,
    applied: !isPreview,
    namePath: Arg.text(args, "namePath"),
    newName,
    total: judged.reduce((sum, { meant }) => sum + meant.length, 0),
    files: files.slice(0, 500),
    ...notes(target, newName),
  }
})

/** What is renamed or removed, in an index of the project's own files. */
const targetOf = Effect.fnUntraced(function* (
  { csharp, index, progress }: ScriptProject,
  path: string,
  namePath: string,
): Effect.fn.Return<{ readonly known: References.Project; readonly target: References.Target }, DomainError> {
  const refreshed = yield* index.refresh(csharp, "own", { progress })
  if (!refreshed.isWhole) {
    return yield* ScriptRefusal.failed(
      `Not all scripts could be read, so uses can be missed: ${refreshed.failed[0] ?? `they declare more than ${CodeIndex.maxDeclarations} symbols`}. Correct that first`,
    )
  }
  const named = FindSymbols.named(
    refreshed.symbols.filter(({ file }) => file === path),
    namePath,
  )
  const [first] = named
  const shown = JSON.stringify(namePath.slice(0, 200))
  if (first === undefined) {
    return yield* ScriptRefusal.undeclared(path, shown)
  }
  const isOne = named.every(
    ({ namespace, path: each }) => namespace === first.namespace && `${each}` === `${first.path}`,
  )
  if (!isOne) {
    return yield* ScriptRefusal.refused(
      `${shown} means several symbols of ${path}: ${FindSymbols.places(named)}. Name one by its path`,
    )
  }
  const problem = unfit(first)
  if (problem !== undefined) return yield* ScriptRefusal.refused(`${shown} ${problem}`)
  const known = References.projectOf(refreshed.symbols)
  yield* Effect.yieldNow
  const name = first.path.at(-1)
  const same = refreshed.symbols.filter(
    (symbol) =>
      symbol.path.at(-1) === name && symbol.namespace === first.namespace && `${symbol.path}` === `${first.path}`,
  )
  const target = References.familyOf(known, same)
  yield* Effect.yieldNow
  const twins = refreshed.symbols.filter(isTwin(target))
  const [twin] = twins
  if (twin !== undefined) {
    return yield* ScriptRefusal.refused(
      `${shown} is not clear by syntax: ${twin.file}:${twin.line} declares another type \`${twin.path.join("/")}\` of the same name. Edit the uses with script_edit_snippet`,
    )
  }
  return { known, target }
})

const unfit = ({ kind, path }: CodeIndex.Indexed): string | undefined => {
  if (/structor$/.test(kind)) return "is a constructor. Name its type"
  if (/^(operator|indexer)$/.test(kind)) return `is an ${kind}, which has no name`
  return kind === "class" && /.Attribute$/.test(path.at(-1) ?? "")
    ? "is an attribute, which is also used without `Attribute`. Edit it with script_edit_snippet"
    : undefined
}

/** Whether a symbol is a type that is called as the target, or as a type that declares it, and is another. */
const isTwin = ({ declarations, isType }: References.Target): ((symbol: CodeIndex.Indexed) => boolean) => {
  const types = declarations.map(({ namespace, path }) => ({ namespace, path: isType ? path : path.slice(0, -1) }))
  const names = new Set(types.map(({ path }) => path.at(-1)))
  const known = new Set(types.map(({ namespace, path }) => `${namespace} ${path}`))
  return ({ kind, namespace, path }) =>
    typeKinds.has(kind) && names.has(path.at(-1)) && !known.has(`${namespace} ${path}`)
}

/** Fails where a new name is taken beside the target, or in a type that a type with the target derives from, or that derives from it. */
const free = (
  known: References.Project,
  { declarations, isType }: References.Target,
  newName: string,
): Effect.Effect<void, DomainError> => {
  const owners = new Set(declarations.map(References.ownerOf))
  const namespaces = new Set(declarations.map(({ namespace }) => namespace))
  const above = new Set([...owners].flatMap((owner) => References.lineage(known, owner)))
  const isNear = (symbol: CodeIndex.Indexed): boolean => {
    const owner = References.ownerOf(symbol)
    if (isType) return namespaces.has(symbol.namespace) && owners.has(owner)
    return above.has(owner) || References.lineage(known, owner).some((type) => owners.has(type))
  }
  const taken = known.symbols.find((symbol) => symbol.path.at(-1) === newName && isNear(symbol))
  return taken === undefined
    ? Effect.void
    : Effect.fail(
        ScriptRefusal.refused(`\`${newName}\` is declared already at ${taken.file}:${taken.line}. Choose another name`),
      )
}

/** A local variable of the new name, where an unqualified use would mean it. */
const hiding = (meant: ReadonlyArray<Occurrence>, named: ReadonlyArray<Occurrence>): Occurrence | undefined => {
  const bare = new Set(meant.flatMap(({ member, qualifier }) => (qualifier === undefined ? member : [])))
  return named.find(({ member, role }) => role === "local" && bare.has(member))
}

const notes = ({ declarations, isType, name }: References.Target, newName: string) => {
  const notes = ["Texts, scenes, prefabs and animations that name it are not changed"]
  if (isType && declarations.some(({ file }) => file.endsWith(`/${name}.cs`))) {
    notes.push(`Rename the file ${name}.cs to ${newName}.cs in Unity, so that its meta file goes with it`)
  }
  if (declarations.some(({ kind, modifiers }) => kind === "field" && !modifiers.includes("static"))) {
    notes.push(`Serialised values are kept with [FormerlySerializedAs("${name}")]`)
  }
  return { notes }
}

/** `script_remove_symbol`: removes a declaration that is not used. */
export const removeSymbol: Work = Effect.fnUntraced(function* (args, project) {
  const { csharp, root } = project
  const namePath = Arg.text(args, "namePath")
  const file = yield* ScriptFiles.read(root, Arg.text(args, "path"), "write")
  const before = yield* EditScripts.parse(csharp, file)
  const symbol = yield* EditScripts.one(before.symbols, namePath, undefined, file.path)
  const references = Arg.flag(args, "failOnReferences", true) ? yield* uses(args, project, file.path, symbol) : []
  if (references.length > 0) {
    return yield* ScriptRefusal.refused(
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
  const parsed = yield* EditScripts.check(csharp, file, before, after, kept)
  const isEmpty = parsed.symbols.length === 0 && parsed.problems.length === 0
  const removesFile = isEmpty && Arg.flag(args, "removeEmptyFile", false)
  const isApplied = Arg.flag(args, "apply", false)
  if (isApplied) yield* EditScripts.write(file, removesFile ? undefined : after)
  return {
    path: file.path,
    ...basis,
    applied: isApplied,
    removed: FindSymbols.described(symbol),
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
    return yield* ScriptRefusal.refused(
      `By syntax the uses of a ${symbol.kind} are not known. Check them and call with failOnReferences false`,
    )
  }
  const { known, target } = yield* targetOf(project, path, Arg.text(args, "namePath"))
  const judge = References.judgeOf(known, target)
  const found = yield* References.everywhere(project, "own", target.name)
  return found.flatMap(({ file, occurrences }) =>
    References.meantBy(judge, occurrences).flatMap(({ occurrence: { line, role, span } }) => {
      const isWithin = file.path === path && span.start >= symbol.span.start && span.end <= symbol.span.end
      return role !== "declaration" && !isWithin ? `${file.path}:${line}` : []
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
    return wholeLines(text, { start: own.start, end: own.end + behind })
  }
  return wholeLines(text, own)
}

/** Whole lines, where nothing else stands on them. */
const wholeLines = (text: string, { end, start }: Span): Span => {
  const first = ScriptText.lineStart(text, start)
  const last = ScriptText.lineEnd(text, end)
  if (text.slice(first, start).trim() !== "" || text.slice(end, last).trim() !== "") return { start, end }
  const from = EditScripts.commentsAbove(text, first)
  const next = text.indexOf("\n", last)
  const until = next < 0 ? text.length : next + 1
  // One of two empty lines around it goes too.
  const isBetween = /(^|\n)[ \t]*\r?\n$/.test(text.slice(0, from))
  const empty = isBetween ? /^[ \t]*\r?\n/.exec(text.slice(until, until + 1_000)) : null
  return { start: from, end: until + (empty?.[0].length ?? 0) }
}
