/**
 * Which fields of a value a query selects.
 */
import {
  type DirectiveNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionSetNode,
} from "graphql"

/** The names of the selected fields, through fragments, without those that are skipped. Introspection is none of them. */
export const fields = (info: GraphQLResolveInfo): ReadonlyArray<string> => {
  const found = new Set<string>()
  const seen = new Set<string>()
  const isIncluded = (node: { readonly directives?: ReadonlyArray<DirectiveNode> | undefined }): boolean =>
    getDirectiveValues(GraphQLSkipDirective, node, info.variableValues)?.["if"] !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, info.variableValues)?.["if"] !== false
  const collect = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections ?? []) {
      if (!isIncluded(selection)) continue
      if (selection.kind === Kind.FIELD) {
        if (!selection.name.value.startsWith("__")) found.add(selection.name.value)
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet)
      } else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value)
        collect(info.fragments[selection.name.value]?.selectionSet)
      }
    }
  }
  for (const node of info.fieldNodes) collect(node.selectionSet)
  return [...found]
}

/** How many fields are selected within a field, each as often as a fragment brings it; those that are skipped count. */
export const size = (info: GraphQLResolveInfo): number => {
  const measured = new Map<string, number>()
  const ofFragment = (name: string): number => {
    const known = measured.get(name) ?? of(info.fragments[name]?.selectionSet)
    measured.set(name, known)
    return known
  }
  const of = (set: SelectionSetNode | undefined): number =>
    (set?.selections ?? []).reduce((sum, selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return sum + ofFragment(selection.name.value)
      return sum + (selection.kind === Kind.FIELD ? 1 : 0) + of(selection.selectionSet)
    }, 0)
  return info.fieldNodes.reduce((sum, { selectionSet }) => sum + of(selectionSet), 0)
}
