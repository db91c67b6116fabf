/**
 * How much a document may ask for, checked before it is validated: in time linear in its size, also where fragments repeat.
 */
import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from "graphql"

/** Lexical tokens of a document. Comments are none, and have the same bound. */
export const maxTokens = 5_000

/** Characters of a document: validation compares the arguments of fields that are selected twice. */
export const maxLength = 262_144

/** Fields within fields. Introspection has bounds of its own, which GraphiQL's query keeps. */
export const maxDepth = 12

/** Aliases of an operation, each as often as a fragment brings it. */
export const maxAliases = 100

/** Fields of objects in all lists of an answer: each selected field as often as there are objects. */
export const maxListed = 2_000_000

interface Extent {
  readonly depth: number
  readonly aliases: number
}

const nothing: Extent = { depth: 0, aliases: 0 }

/** @returns what is too much, in one sentence */
export const excess = (document: DocumentNode): string | undefined => {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const measured = new Map<string, Extent>()
  const ofFragment = (name: string): Extent => {
    const known = measured.get(name)
    if (known !== undefined) return known
    // A fragment within itself ends here; validation refuses it.
    measured.set(name, nothing)
    const extent = ofSelections(fragments.get(name)?.selectionSet)
    measured.set(name, extent)
    return extent
  }
  const ofSelections = (set: SelectionSetNode | undefined): Extent => {
    let depth = 0
    let aliases = 0
    for (const selection of set?.selections ?? []) {
      let within: Extent
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        within = ofFragment(selection.name.value)
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        within = ofSelections(selection.selectionSet)
      } else {
        const inner = ofSelections(selection.selectionSet)
        const isIntrospection = selection.name.value.startsWith("__")
        const own = selection.alias === undefined ? 0 : 1
        within = { depth: isIntrospection ? 1 : inner.depth + 1, aliases: inner.aliases + own }
      }
      depth = Math.max(depth, within.depth)
      aliases += within.aliases
    }
    return { depth, aliases }
  }
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const { aliases, depth } = ofSelections(definition.selectionSet)
    if (depth > maxDepth) return `The query is ${depth} fields deep: ${maxDepth} is the limit.`
    if (aliases > maxAliases) return `The query has ${aliases} aliases: ${maxAliases} is the limit.`
  }
  return undefined
}
