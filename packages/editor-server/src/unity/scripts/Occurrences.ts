/**
 * Where a name stands in a C# file, and what it stands for, as far as the file's syntax shows it.
 */
import type { Node, Tree } from "web-tree-sitter"
import { type Qualifier, type TypeOf, types } from "./ExpressionTypes.ts"
import { isField, isMistyped, isWithin, local, nodes } from "./LocalNames.ts"
import { type Outline, type Span, simpleName, spanOf, typeKinds } from "./Outline.ts"

export interface Occurrence {
  readonly span: Span
  readonly line: number
  readonly column: number
  /**
   * `declaration` of a type or member, `local` for variables, parameters, labels and names of arguments, `reference`.
   */
  readonly role: "declaration" | "local" | "reference"
  /** Whether only a type can stand here. */
  readonly isType: boolean
  readonly qualifier?: Qualifier
  readonly kind?: string
  /** The types around it, outermost first. */
  readonly types: ReadonlyArray<string>
  readonly namespace: string
  /** The path of the innermost declaration around it, for people. */
  readonly member: string
}

/** The occurrences of a name in code: not in comments and texts. */
export const occurrences = (
  tree: Tree,
  text: string,
  { symbols }: Outline,
  name: string,
): ReadonlyArray<Occurrence> => {
  const named = nodes(tree, text, name)
  const declarations = new Map(symbols.flatMap((symbol) => (symbol.name ? [[symbol.name.start, symbol] as const] : [])))
  const locals = named.flatMap((node) => (declarations.has(node.startIndex) ? [] : (local(node)?.scope ?? [])))
  const typeOf = types(tree, text, symbols)
  return named.map((node) => {
    const at = node.startIndex
    const declaration = declarations.get(at)
    const around = symbols.filter((symbol) => symbol !== declaration && isWithin(at, symbol.span))
    const innermost = around.at(-1)
    const place = {
      span: spanOf(node),
      line: node.startPosition.row + 1,
      column: node.startPosition.column + 1,
      types: around.filter(({ kind }) => typeKinds.has(kind)).at(-1)?.path ?? [],
      namespace: (declaration ?? innermost)?.namespace ?? "",
      member: innermost?.path.join("/") ?? "",
    }
    if (declaration) return { ...place, role: "declaration", isType: false, kind: declaration.kind }
    const found = qualifier(node, typeOf)
    const isHidden = found === undefined && locals.some((scope) => isWithin(at, scope))
    if (isHidden || isLabel(node) || local(node)) return { ...place, role: "local", isType: false }
    return { ...place, role: "reference", isType: isType(node), ...(found === undefined ? {} : { qualifier: found }) }
  })
}

/** The parent that counts: `Do<int>` stands where `Do` would. */
const context = (node: Node): readonly [child: Node, parent: Node | null] => {
  const { parent } = node
  return parent?.type === "generic_name" ? [parent, parent.parent] : [node, parent]
}

/** Labels, and names of arguments and of parts of a tuple. */
const isLabel = (node: Node): boolean => {
  const { parent } = node
  if (parent === null) return false
  if (/^(argument|attribute_argument|tuple_element)$/.test(parent.type)) {
    const end = parent.childForFieldName("name")?.endIndex
    return end === node.endIndex
  }
  return /^(labeled|goto)_statement$/.test(parent.type) && parent.firstNamedChild?.id === node.id
}

/** Where only types can stand. */
const typed =
  /^(base_list|type_argument_list|qualified_name|alias_qualified_name|attribute|explicit_interface_specifier|nullable_type|array_type|pointer_type|ref_type|type_parameter_constraint|typeof_expression|default_expression|primary_constructor_base_type)$/

const isType = (node: Node): boolean => {
  const [child, parent] = context(node)
  if (parent === null || isMistyped(node)) return false
  return typed.test(parent.type) || isField(child, parent, "type") || isField(child, parent, "returns")
}

const qualifier = (node: Node, typeOf: TypeOf): Qualifier | undefined => {
  const [child, parent] = context(node)
  if (parent === null) return undefined
  if (parent.type === "member_access_expression" && isField(child, parent, "name")) {
    return typeOf(parent.childForFieldName("expression") ?? parent.firstChild)
  }
  if (parent.type === "member_binding_expression") {
    let access = parent.parent
    while (access !== null && access.type !== "conditional_access_expression") access = access.parent
    return typeOf(access?.childForFieldName("condition") ?? null)
  }
  if (/^(alias_)?qualified_name$/.test(parent.type) && isField(child, parent, "name")) {
    const before = parent.childForFieldName("qualifier") ?? parent.childForFieldName("alias")
    if (isMistyped(node)) return typeOf(before)
    return { _tag: "Named", name: simpleName(before?.text ?? "") ?? "" }
  }
  if (parent.type === "subpattern") return { _tag: "Unknown" }
  const list = parent.type === "assignment_expression" && isField(child, parent, "left") ? parent.parent : null
  if (list?.type !== "initializer_expression") return undefined
  return list.parent === null ? { _tag: "Unknown" } : typeOf(list.parent)
}
