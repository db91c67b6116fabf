/**
 * Which occurrences of a name mean a declaration, by names and bases: the files' syntax does not show more.
 */
import type { Indexed } from "./CodeIndex.ts"
import type { Occurrence } from "./Occurrences.ts"
import { typeKinds } from "./Outline.ts"

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

export const project = (symbols: ReadonlyArray<Indexed>): Project => {
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
const mostBases = 100

/** A type and all that it derives from, nearest first. */
export const lineage = ({ bases }: Project, type: string): ReadonlyArray<string> => {
  const all = new Set([type])
  for (const each of all) {
    if (all.size > mostBases) break
    for (const base of bases.get(each) ?? []) all.add(base)
  }
  return [...all]
}

/** The declarations that belong together with some: those of the same name in types that derive from each other. */
export const target = (known: Project, chosen: ReadonlyArray<Indexed>): Target => {
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
export const judge = (known: Project, { declarations, isType, name }: Target): ((found: Occurrence) => Verdict) => {
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

  const ofType = ({ isType: isTypePlace, kind, qualifier, role, types }: Occurrence): Verdict => {
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

  const ofMember = ({ isType: isTypePlace, kind = "", qualifier, role, types }: Occurrence): Verdict => {
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
