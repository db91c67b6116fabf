/**
 * The identifiers of a C# file, and which of them are variables, parameters and the like.
 */
import type { Node, Tree } from "web-tree-sitter"
import { type Span, spanOf } from "./Outline.ts"

/** How many occurrences of a name are looked at in one file. */
export const most = 2_000

const letter = /[\p{L}\p{N}_]/u

export const isWithin = (at: number, { end, start }: Span): boolean => at >= start && at < end

/** The identifiers of a name, in order. */
export const nodes = (tree: Tree, text: string, name: string): ReadonlyArray<Node> => {
  const found: Array<Node> = []
  for (let at = text.indexOf(name); at >= 0 && found.length < most; at = text.indexOf(name, at + name.length)) {
    const end = at + name.length
    if (letter.test(text[at - 1] ?? "") || letter.test(text[end] ?? "")) continue
    const node = tree.rootNode.descendantForIndex(at, end)
    if (node?.startIndex === at && node.endIndex === end && /^(identifier|implicit_parameter)$/.test(node.type)) {
      found.push(node)
    }
  }
  return found
}

export const isField = (child: Node, parent: Node, field: string): boolean =>
  parent.childForFieldName(field)?.id === child.id

/** Nodes whose `name` is a local variable or the like. */
const localNames =
  /^(parameter|variable_declarator|declaration_pattern|recursive_pattern|var_pattern|declaration_expression|catch_declaration|tuple_pattern|type_parameter|local_function_statement|from_clause|let_clause|join_clause|using_directive)$/

/** Nodes in which such a name can be used. */
const scopes =
  /^(block|compilation_unit|switch_section|(for|foreach|using|fixed|local_function)_statement|(lambda|anonymous_method|query)_expression|catch_clause|.*_declaration)$/

const noScope = /^(variable|catch)_declaration$/

/** The declaration of a local variable, a parameter or the like that a name is, and where it holds. */
export const local = (node: Node): { readonly declaration: Node; readonly scope: Span } | undefined => {
  const { parent } = node
  if (parent === null) return undefined
  const isNamed =
    (localNames.test(parent.type) && parent.childrenForFieldName("name").some((child) => child?.id === node.id)) ||
    (parent.type === "foreach_statement" && isField(node, parent, "left")) ||
    parent.type === "parenthesized_variable_designation" ||
    (parent.type === "parameter_list" && isField(node, parent, "name")) ||
    node.type === "implicit_parameter"
  if (!isNamed || isMisread(parent) || /^(event_)?field_declaration$/.test(parent.parent?.parent?.type ?? ""))
    return undefined
  // A local function is called around itself.
  let scope = parent.type === "local_function_statement" ? parent.parent : parent
  while (scope !== null && (!scopes.test(scope.type) || noScope.test(scope.type))) scope = scope.parent
  return { declaration: parent, scope: scope === null ? spanOf(parent) : spanOf(scope) }
}

/**
 * Whether an expression was taken for the declaration of a variable: the grammar reads `f(a * b)` and `f(a < b, c > d)` so. C#
 * has such declarations behind `out`, and where a tuple is taken apart.
 */
export const isMisread = (node: Node): boolean => {
  if (node.type !== "declaration_expression") return false
  const argument = node.parent
  if (argument?.children.some((child) => child?.type === "out")) return false
  const tuple = argument?.parent
  const assigned = tuple?.type === "tuple_expression" ? tuple.parent : null
  const isTakenApart = assigned !== null && tuple !== null && tuple !== undefined && isField(tuple, assigned, "left")
  return !isTakenApart || node.childForFieldName("type")?.type === "pointer_type"
}

/** Whether what looks like a type is an expression: in what was misread, and in `(a) - b`, which looks like a cast. */
export const isMistyped = (node: Node): boolean => {
  let type = node
  while (
    type.parent !== null &&
    /^(qualified_name|generic_name|type_argument_list|pointer_type)$/.test(type.parent.type)
  ) {
    type = type.parent
  }
  const { parent } = type
  if (parent?.type !== "cast_expression") return parent !== null && isMisread(parent)
  const value = parent.childForFieldName("value")?.type ?? ""
  return isField(type, parent, "type") && /^(prefix_unary|parenthesized|tuple)_expression$/.test(value)
}
