/**
 * Where a name is used, and which of its occurrences mean a declaration, by names and bases: the files' syntax does not show more.
 */

import type { DomainError } from "@zain/editor-link/domain/DomainError"
import * as Effect from "effect/Effect"
import type { Indexed } from "./CodeIndex.ts"
import { described, ofKind } from "./FindSymbols.ts"
import * as Occurrences from "./Occurrences.ts"
import { typeKinds } from "./Outline.ts"
import * as ScriptFiles from "./ScriptFiles.ts"
import { Arg, basis, type ScriptProject, type Work } from "./ScriptProject.ts"
import * as ScriptRefusal from "./ScriptRefusal.ts"
import { budget, snippet } from "./ScriptText.ts"

/** A file in which a name stands. `others`: where further names stand. */
interface Found {
  readonly file: ScriptFiles.ReadScript
  readonly occurrences: ReadonlyArray<Occurrences.Occurrence>
  readonly others: ReadonlyArray<ReadonlyArray<Occurrences.Occurrence>>
}

/** How many bytes of files with a name are held at once. */
const maxHeldBytes = 64 * 1_024 * 1_024

/** All files of a scope in which a name stands, and where. Fails where that is not sure to be all. */
export const everywhere = Effect.fnUntraced(function* (
  { csharp, progress, root }: ScriptProject,
  scope: string,
  name: string,
  others: ReadonlyArray<string> = [],
): Effect.fn.Return<ReadonlyArray<Found>, DomainError> {
  const walked = yield* ScriptFiles.walk(root, scope)
  if (!walked.isWhole) {
    return yield* ScriptRefusal.tooLarge(
      "The project has more scripts than the tools look at. Use the editor's own tools",
    )
  }
  const found: Array<Found> = []
  // A file can have a second path through a link.
  const seen = new Set<string>()
  let held = 0
  for (const [at, { path }] of walked.files.entries()) {
    if (at % 500 === 499) progress(`${at + 1} of ${walked.files.length} files looked at`)
    const file = yield* ScriptFiles.read(root, path)
    if (seen.has(file.place) || !file.text.includes(name)) continue
    seen.add(file.place)
    held += file.size
    if (held > maxHeldBytes) {
      return yield* ScriptRefusal.tooLarge(
        `\`${name}\` stands in more than ${maxHeldBytes} bytes of scripts. Use a more special name`,
      )
    }
    const [occurrences = [], ...rest] = yield* csharp(
      "occurrences",
      { text: file.text, names: [name, ...others] },
      path,
    )
    if (occurrences.length >= Occurrences.maxOccurrences) {
      return yield* ScriptRefusal.tooLarge(
        `\`${name}\` stands in ${path} more than ${Occurrences.maxOccurrences} times. Edit that file by hand`,
      )
    }
    if (occurrences.length > 0) found.push({ file, occurrences, others: rest })
  }
  return found
})

/** `script_refs_find`: where a name is used. */
export const findReferences: Work = Effect.fnUntraced(function* (args, project) {
  const { csharp, index, progress, root } = project
  const name = Arg.text(args, "name").trim().split("/").at(-1) ?? ""
  if (name === "") return yield* ScriptRefusal.refused("`name` is empty. Name a type or a member")
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
    return yield* ScriptRefusal.refused(
      `No declaration of \`${name}\` matches the filters. Find it with script_symbol_find`,
    )
  }
  const known = projectOf(refreshed?.symbols ?? [])
  const judge = isFiltered ? judgeOf(known, familyOf(known, declarations)) : everything
  const walked = yield* ScriptFiles.walk(root, scope)
  const [pageSize, perFile] = [
    Arg.whole(args, "pageSize", 50, 1, 1_000),
    Arg.whole(args, "maxMatchesPerFile", 5, 1, 1_000),
  ]
  const context = Arg.whole(args, "snippetContext", 1, 0, 50)
  const fits = budget(Arg.maxBytes(args))
  const files: Array<object> = []
  let [references, skipped, isTruncated] = [0, walked.skipped, !walked.isWhole]
  for (const each of walked.files) {
    const file = yield* Effect.result(ScriptFiles.read(root, each.path))
    if (file._tag === "Failure") skipped++
    if (file._tag === "Failure" || !file.success.text.includes(name)) continue
    const { text } = file.success
    const [occurrences = []] = yield* csharp("occurrences", { text, names: [name] }, each.path)
    const meant = meantBy(judge, occurrences)
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
const everything = ({ role }: Occurrences.Occurrence): Verdict => (role === "local" ? "no" : "yes")

/**
 * - `yes`: it means the declaration
 * - `assumed`: its owner's type is not written down, and no other type of the project has a member of the name
 * - `unclear`: its owner's type is not written down, and another type has such a member, or a type and a member share the name
 * - `no`: it means something else
 */
export type Verdict = "yes" | "assumed" | "unclear" | "no"

/** Declarations that are used as one: of a type, or of members that override each other. */
export interface Target {
  readonly name: string
  readonly isType: boolean
  readonly declarations: ReadonlyArray<Indexed>
}

export interface Project {
  /** Declared members by name. */
  readonly members: ReadonlyMap<string, ReadonlyArray<Indexed>>
  /** The bases of types, by their simple names. */
  readonly bases: ReadonlyMap<string, ReadonlySet<string>>
  readonly symbols: ReadonlyArray<Indexed>
}

export const projectOf = (symbols: ReadonlyArray<Indexed>): Project => {
  const bases = new Map<string, Set<string>>()
  const members = new Map<string, Array<Indexed>>()
  for (const symbol of symbols) {
    const name = symbol.path.at(-1) ?? ""
    if (typeKinds.has(symbol.kind)) {
      const all = bases.get(name) ?? new Set()
      for (const base of symbol.bases ?? []) all.add(base)
      bases.set(name, all)
    } else if (!/structor$/.test(symbol.kind)) {
      const all = members.get(name) ?? []
      all.push(symbol)
      members.set(name, all)
    }
  }
  return { bases, members, symbols }
}

/** The type that a member is declared in. */
export const ownerOf = ({ path }: Pick<Indexed, "path">): string => path.at(-2) ?? ""

/** How many bases of a type are followed. */
const maxBases = 100

/** A type and all that it derives from, nearest first. */
export const lineage = ({ bases }: Project, type: string): ReadonlyArray<string> => {
  const all = new Set([type])
  for (const each of all) {
    if (all.size > maxBases) break
    for (const base of bases.get(each) ?? []) all.add(base)
  }
  return [...all]
}

/** The declarations that belong together with some: those of the same name in types that derive from each other. */
export const familyOf = (known: Project, chosen: ReadonlyArray<Indexed>): Target => {
  const name = chosen[0]?.path.at(-1) ?? ""
  const isType = chosen.some(({ kind }) => typeKinds.has(kind))
  if (isType) return { name, isType, declarations: chosen }
  const same = membersOf(known, name)
  const owners = new Set(same.map(ownerOf))
  const related = new Map([...owners].map((type) => [type, new Set<string>()]))
  for (const type of owners) {
    for (const base of lineage(known, type)) {
      related.get(type)?.add(base)
      related.get(base)?.add(type)
    }
  }
  const family = new Set(chosen.map(ownerOf))
  for (const type of family) for (const each of related.get(type) ?? []) if (owners.has(each)) family.add(each)
  return { name, isType, declarations: same.filter((symbol) => family.has(ownerOf(symbol))) }
}

/** Constructors and destructors, which are called as their type is, are none. */
const membersOf = ({ members }: Project, name: string): ReadonlyArray<Indexed> => members.get(name) ?? []

/** Judges the occurrences of a target's name. */
export const judgeOf = (
  known: Project,
  { declarations, isType, name }: Target,
): ((found: Occurrences.Occurrence) => Verdict) => {
  const family = new Set(declarations.map(ownerOf))
  const others = new Set(
    membersOf(known, name)
      .map(ownerOf)
      .filter((type) => isType || !family.has(type)),
  )
  const namespaces = new Set(declarations.flatMap(({ namespace }) => namespace.split(".")))
  const unknown: Verdict = others.size === 0 ? "assumed" : "unclear"
  /** Who declares the member that is found from a type on. */
  const declaring = (type: string): "family" | "other" | undefined => {
    if (!found.has(type)) {
      const first = lineage(known, type).find((each) => others.has(each) || (!isType && family.has(each)))
      const isOther = first !== undefined && (isType || !family.has(first))
      found.set(type, first === undefined ? undefined : isOther ? "other" : "family")
    }
    return found.get(type)
  }
  const found = new Map<string, "family" | "other" | undefined>()
  const memberOf = (type: string): Verdict => (declaring(type) === "family" ? "yes" : "no")
  const isExtension = declarations.some(({ kind, signature }) => kind === "method" && /\(\s*this\s/.test(signature))

  const ofType = ({ isType: isTypePlace, kind, qualifier, role, types }: Occurrences.Occurrence): Verdict => {
    if (role === "declaration") {
      if (/structor$/.test(kind ?? "")) return isDeclared(types) ? "yes" : "no"
      return typeKinds.has(kind ?? "") && isDeclared([...types, name]) ? "yes" : "no"
    }
    if (qualifier === undefined) {
      if (isTypePlace) return "yes"
      return types.some((type) => declaring(type) === "other") ? "unclear" : "yes"
    }
    if (qualifier._tag !== "Named") return "no"
    if (family.has(qualifier.name) || namespaces.has(qualifier.name) || qualifier.name === "global") return "yes"
    return isTypePlace ? "unclear" : "no"
  }
  const isDeclared = (path: ReadonlyArray<string>): boolean =>
    declarations.some((declaration) => declaration.path.join("/") === path.join("/"))

  const ofMember = ({ isType: isTypePlace, kind = "", qualifier, role, types }: Occurrences.Occurrence): Verdict => {
    if (role === "declaration") {
      return !typeKinds.has(kind) && !/structor$/.test(kind) && family.has(types.at(-1) ?? "") ? "yes" : "no"
    }
    if (isTypePlace) return "no"
    const own = (around: ReadonlyArray<string>): Verdict => {
      const owner = around.findLast((type) => declaring(type) !== undefined)
      return owner === undefined ? "no" : memberOf(owner)
    }
    if (qualifier === undefined) return own(types)
    if (qualifier._tag === "Own") return own(types.slice(-1))
    if (qualifier._tag === "Unknown") return unknown
    const type = qualifier._tag === "Typed" ? qualifier.type : (typeNamed(qualifier.name, types) ?? qualifier.name)
    if (known.bases.has(type)) return declaring(type) === undefined && isExtension ? "yes" : memberOf(type)
    if (isExtension) return unknown
    // A type parameter can be any type.
    return /^T([A-Z]\w*)?$/.test(type) ? unknown : "no"
  }
  /** The type of a member that a type around inherits. */
  const typeNamed = (member: string, types: ReadonlyArray<string>): string | undefined => {
    if (known.bases.has(member)) return undefined
    const lines = new Set(types.flatMap((type) => lineage(known, type)))
    return membersOf(known, member).find((symbol) => lines.has(ownerOf(symbol)))?.type
  }
  return (occurrence) => {
    if (occurrence.role === "local") return "no"
    return isType ? ofType(occurrence) : ofMember(occurrence)
  }
}

/** The occurrences that mean, or may mean, the target of a judge. */
export const meantBy = (
  judge: (found: Occurrences.Occurrence) => Verdict,
  occurrences: ReadonlyArray<Occurrences.Occurrence>,
) =>
  occurrences.flatMap((occurrence) => {
    const verdict = judge(occurrence)
    return verdict === "no" ? [] : [{ occurrence, verdict }]
  })
