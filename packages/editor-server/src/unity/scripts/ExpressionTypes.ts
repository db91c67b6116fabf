/**
 * The types of expressions, where a C# file names them.
 */
import type { Node, Tree } from "web-tree-sitter"
import { isWithin, local, nodes } from "./LocalNames.ts"
import { type Declared, type Span, simpleName } from "./Outline.ts"

/**
 * What stands before a name and a dot.
 *
 * - `Own`: `this` or `base`
 * - `Typed`: an expression of a type that the file names
 * - `Named`: a name that the file does not declare: a type, a namespace, or an inherited member
 * - `Unknown`: any other expression
 */
export type Qualifier =
  | { readonly _tag: "Own" }
  | { readonly _tag: "Typed"; readonly type: string }
  | { readonly _tag: "Named"; readonly name: string }
  | { readonly _tag: "Unknown" }

export type TypeOf = (node: Node | null) => Qualifier

/** What every script of Unity has of its base, which is not in the project. */
const inherited: Readonly<Record<string, string>> = { transform: "Transform", gameObject: "GameObject" }

/** Names the type of an expression, where the file does. */
export const types = (tree: Tree, text: string, symbols: ReadonlyArray<Declared>): TypeOf => {
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
