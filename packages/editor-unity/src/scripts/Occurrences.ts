/**
 * Where a name stands in a C# file, and what it stands for, as far as the file's syntax shows it.
 */
import type { Node, Tree } from "web-tree-sitter"
import { type Declared, type Outline, type Span, simpleName, spanOf, typeKinds } from "./Outline.ts"

/** How many occurrences of a name are looked at in one file. */
export const maxOccurrences = 2_000

const letter = /[\p{L}\p{N}_]/u

const isWithin = (at: number, { end, start }: Span): boolean => at >= start && at < end

/** The identifiers of a name, in order. */
const nodes = (tree: Tree, text: string, name: string): ReadonlyArray<Node> => {
  const found: Array<Node> = []
  for (
    let at = text.indexOf(name);
    at >= 0 && found.length < maxOccurrences;
    at = text.indexOf(name, at + name.length)
  ) {
    const end = at + name.length
    if (letter.test(text[at - 1] ?? "") || letter.test(text[end] ?? "")) continue
    const node = tree.rootNode.descendantForIndex(at, end)
    if (node?.startIndex === at && node.endIndex === end && /^(identifier|implicit_parameter)$/.test(node.type)) {
      found.push(node)
    }
  }
  return found
}

const isField = (child: Node, parent: Node, field: string): boolean => parent.childForFieldName(field)?.id === child.id

/** Nodes whose `name` is a local variable or the like. */
const localNames =
  /^(parameter|variable_declarator|declaration_pattern|recursive_pattern|var_pattern|declaration_expression|catch_declaration|tuple_pattern|type_parameter|local_function_statement|from_clause|let_clause|join_clause|using_directive)$/

/** Nodes in which such a name can be used. */
const scopes =
  /^(block|compilation_unit|switch_section|(for|foreach|using|fixed|local_function)_statement|(lambda|anonymous_method|query)_expression|catch_clause|.*_declaration)$/

const noScope = /^(variable|catch)_declaration$/

/** The declaration of a local variable, a parameter or the like that a name is, and where it holds. */
const local = (node: Node): { readonly declaration: Node; readonly scope: Span } | undefined => {
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
const isMisread = (node: Node): boolean => {
  if (node.type !== "declaration_expression") return false
  const argument = node.parent
  if (argument?.children.some((child) => child?.type === "out")) return false
  const tuple = argument?.parent
  const assigned = tuple?.type === "tuple_expression" ? tuple.parent : null
  const isTakenApart = assigned !== null && tuple !== null && tuple !== undefined && isField(tuple, assigned, "left")
  return !isTakenApart || node.childForFieldName("type")?.type === "pointer_type"
}

/** Whether what looks like a type is an expression: in what was misread, and in `(a) - b`, which looks like a cast. */
const isMistyped = (node: Node): boolean => {
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

/**
 * What stands before a name and a dot.
 *
 * - `Own`: `this` or `base`
 * - `Typed`: an expression of a type that the file names
 * - `Named`: a name that the file does not declare: a type, a namespace, or an inherited member
 * - `Unknown`: any other expression
 */
type Qualifier =
  | { readonly _tag: "Own" }
  | { readonly _tag: "Typed"; readonly type: string }
  | { readonly _tag: "Named"; readonly name: string }
  | { readonly _tag: "Unknown" }

type TypeOf = (node: Node | null) => Qualifier

/** What every script of Unity has of its base, which is not in the project. */
const inherited: Readonly<Record<string, string>> = { transform: "Transform", gameObject: "GameObject" }

/** Names the type of an expression, where the file does. */
const types = (tree: Tree, text: string, symbols: ReadonlyArray<Declared>): TypeOf => {
  const unknown: Qualifier = { _tag: "Unknown" }
  const ofType = (type: Node | null | undefined): Qualifier => {
    const name = simpleName(type?.text ?? "")
    return name === undefined || name === "var" ? unknown : { _tag: "Typed", type: name }
  }
  const member = (name: string): Qualifier | undefined => {
    const found = symbols.filter(({ kind, path }) => path.at(-1) === name && /^(field|property|event)$/.test(kind))
    const named = new Set(found.map(({ type }) => type))
    const [type] = named
    if (found.length === 0) return undefined
    return named.size === 1 && type !== undefined ? { _tag: "Typed", type } : unknown
  }
  const known = new Map<string, ReadonlyArray<{ readonly scope: Span; readonly type: () => Qualifier }>>()
  const locals = (name: string) => {
    const found =
      known.get(name) ??
      nodes(tree, text, name).flatMap((node) => {
        const at = local(node)
        return at === undefined ? [] : { scope: at.scope, type: () => declaredType(at.declaration) }
      })
    known.set(name, found)
    return found
  }
  const declaredType = (declaration: Node): Qualifier => {
    const holder = declaration.type === "variable_declarator" ? declaration.parent : declaration
    const type = holder?.childForFieldName("type")
    if (type && type.type !== "implicit_type") return ofType(type)
    const value = declaration.type === "variable_declarator" ? declaration.lastNamedChild : null
    return value === null || value.type === "identifier" ? unknown : typeOf(value)
  }
  const typeOf: TypeOf = (node) => {
    switch (node?.type) {
      case "this":
      case "base":
      case "this_expression":
      case "base_expression":
        return { _tag: "Own" }
      case "identifier": {
        const hiding = locals(node.text).filter(({ scope }) => isWithin(node.startIndex, scope))
        const type = inherited[node.text]
        if (hiding.length > 0) return hiding.length === 1 ? (hiding[0]?.type() ?? unknown) : unknown
        return member(node.text) ?? (type ? { _tag: "Typed", type } : { _tag: "Named", name: node.text })
      }
      case "generic_name":
        return { _tag: "Named", name: node.firstNamedChild?.text ?? "" }
      case "parenthesized_expression":
        return typeOf(node.firstNamedChild)
      case "object_creation_expression":
      case "cast_expression":
        return ofType(node.childForFieldName("type"))
      case "as_expression":
        return ofType(node.childForFieldName("right"))
      case "qualified_name":
      case "member_access_expression": {
        const owner = typeOf(node.childForFieldName("expression") ?? node.firstChild)
        const name = node.childForFieldName("name")?.text ?? ""
        const type = inherited[name]
        if (type !== undefined) return { _tag: "Typed", type }
        return owner._tag === "Own" ? (member(name) ?? unknown) : unknown
      }
      case "invocation_expression": {
        // `GetComponent<Enemy>()` is an Enemy.
        const called = node.childForFieldName("function")
        const generic = called?.type === "generic_name" ? called : called?.childForFieldName("name")
        const [name, list] = generic?.type === "generic_name" ? generic.namedChildren : []
        return /(Component|ObjectOfType|ObjectByType)$|^Instantiate$/.test(name?.text ?? "")
          ? ofType(list?.firstNamedChild)
          : unknown
      }
      default:
        return unknown
    }
  }
  return typeOf
}

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
