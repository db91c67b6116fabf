/**
 * The declarations of a C# file, by its syntax tree.
 */
import type { Node, Tree, TreeCursor } from "web-tree-sitter"

/** A part of a text, in UTF-16 code units; `end` is behind it. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A declared type or member. */
export interface Declared {
  readonly kind: string
  /** The names of the types around it, and its own. */
  readonly path: ReadonlyArray<string>
  /** The namespace, with dots; empty for the global one. */
  readonly namespace: string
  readonly signature: string
  readonly line: number
  readonly endLine: number
  /** The declaration with its attributes, without comments above it. */
  readonly span: Span
  /** The span of its name; absent for operators. */
  readonly name?: Span
  /** The span of its body. */
  readonly body?: Span
  /** Its own span, if one declaration declares several. */
  readonly variable?: Span
  /** The simple name of its type. */
  readonly type?: string
  /** The simple names in its list of bases. */
  readonly bases?: ReadonlyArray<string>
  readonly modifiers: ReadonlyArray<string>
}

/** A place that cannot be parsed. `context`: the text of its line. */
export interface SyntaxProblem {
  readonly line: number
  readonly column: number
  readonly problem: string
  readonly context: string
}

export interface Outline {
  readonly symbols: ReadonlyArray<Declared>
  /**
   * Whether all declarations are there: a file may have more than 20,000, and containers may be nested more than 100
   * levels deep.
   */
  readonly isWhole: boolean
}

const [maxSymbols, maxDepth, maxSignatureLength, maxProblems] = [20_000, 100, 200, 100]

/** How long a name may be, and how many bases and modifiers are kept. */
const [maxNameLength, maxListed] = [512, 32]

export const typeKinds: ReadonlySet<string> = new Set(["class", "struct", "interface", "enum", "record", "delegate"])

const kinds: Readonly<Record<string, string>> = {
  class_declaration: "class",
  struct_declaration: "struct",
  interface_declaration: "interface",
  enum_declaration: "enum",
  record_declaration: "record",
  delegate_declaration: "delegate",
  method_declaration: "method",
  constructor_declaration: "constructor",
  destructor_declaration: "destructor",
  property_declaration: "property",
  indexer_declaration: "indexer",
  operator_declaration: "operator",
  conversion_operator_declaration: "operator",
  event_declaration: "event",
  event_field_declaration: "event",
  field_declaration: "field",
  enum_member_declaration: "enumMember",
}

const containers = /^(compilation_unit|declaration_list|enum_member_declaration_list|ERROR|preproc_(if|elif|else))$/

/** The last name of a type: `Game.List<int>[]` is a `List`. */
export const simpleName = (type: string): string | undefined =>
  /(?<![\p{L}\p{N}_])([\p{L}_][\p{L}\p{N}_]*)[?\s[\],]*$/u.exec(
    type.slice(0, 1_000).replace(/^([^<]*)<.*>/su, "$1"),
  )?.[1]

/** The declarations of a file. */
export const outline = (tree: Tree, text: string): Outline => {
  const symbols: Array<Declared> = []
  let isWhole = true
  const cursor = tree.walk()

  const visit = (namespace: string, types: ReadonlyArray<string>, depth: number): void => {
    if (depth > maxDepth) isWhole = false
    if (depth > maxDepth || !cursor.gotoFirstChild()) return
    let here = namespace
    do {
      if (symbols.length >= maxSymbols) {
        isWhole = false
        break
      }
      const type = cursor.nodeType
      if (containers.test(type)) visit(here, types, depth + 1)
      else if (type.endsWith("namespace_declaration")) {
        const name = cursor.currentNode.childForFieldName("name")?.text.replace(/\s/g, "").slice(0, maxNameLength) ?? ""
        const inner = here === "" ? name : `${here}.${name}`
        if (type.startsWith("file")) here = inner
        else visit(inner, types, depth + 1)
      } else if (kinds[type] !== undefined) {
        const found = declared(cursor.currentNode, kinds[type], here, types, text)
        symbols.push(...found)
        const [first] = found
        if (first !== undefined && typeKinds.has(first.kind)) visit(here, first.path, depth + 1)
      }
    } while (cursor.gotoNextSibling())
    cursor.gotoParent()
  }

  visit("", [], 0)
  cursor.delete()
  return { symbols, isWhole }
}

const declared = (
  node: Node,
  kind: string,
  namespace: string,
  types: ReadonlyArray<string>,
  text: string,
): ReadonlyArray<Declared> => {
  const variables = node.namedChildren.find((child) => child.type === "variable_declaration")
  const names = variables?.namedChildren.filter((child) => child.type === "variable_declarator") ?? [node]
  const body = bodyOf(node, text)
  const attributes = node.namedChildren.filter((child) => child.type === "attribute_list")
  const from = attributes.at(-1)?.endIndex ?? node.startIndex
  const until = typeKinds.has(kind) ? node.childForFieldName("body")?.startIndex : body?.start
  const type = (variables ?? node).childForFieldName("type") ?? node.childForFieldName("returns")
  const bases = node.namedChildren.find((child) => child.type === "base_list")
  const shared = {
    kind,
    namespace,
    signature: plain(text.slice(from, Math.min(until ?? node.endIndex, from + 4 * maxSignatureLength))),
    line: node.startPosition.row + 1,
    endLine: node.endPosition.row + 1,
    span: spanOf(node),
    ...(body === undefined ? {} : { body }),
    ...optional("type", type === null ? undefined : simpleName(type.text)),
    ...optional(
      "bases",
      bases?.namedChildren.slice(0, maxListed).flatMap((base) => simpleName(base.text) ?? []),
    ),
    modifiers: node.namedChildren
      .filter((child) => child.type === "modifier")
      .slice(0, maxListed)
      .map((child) => child.text),
  }
  const found = names.map((each) => {
    const name = each.childForFieldName("name")
    return {
      ...shared,
      path: [...types, name?.text.slice(0, maxNameLength) ?? unnamed(node)],
      ...(name === null ? {} : { name: spanOf(name) }),
      ...(names.length > 1 ? { variable: spanOf(each) } : {}),
    }
  })
  return kind === "record" ? [...found, ...positional(node, found[0]?.path ?? types, namespace)] : found
}

/** What an operator or an indexer is called. */
const unnamed = (node: Node): string => {
  if (node.type === "indexer_declaration") return "this"
  const operator = node.childForFieldName("operator")?.text ?? node.childForFieldName("type")?.text ?? ""
  return `operator ${plain(operator)}`.trim()
}

/** The properties that the parameters of a record declare. */
const positional = (node: Node, types: ReadonlyArray<string>, namespace: string): ReadonlyArray<Declared> => {
  const parameters = node.namedChildren.find((child) => child.type === "parameter_list")
  return (parameters?.namedChildren ?? []).flatMap((parameter) => {
    const name = parameter.childForFieldName("name")
    if (parameter.type !== "parameter" || name === null) return []
    return {
      kind: "property",
      path: [...types, name.text.slice(0, maxNameLength)],
      namespace,
      signature: plain(parameter.text),
      line: parameter.startPosition.row + 1,
      endLine: parameter.endPosition.row + 1,
      span: spanOf(parameter),
      name: spanOf(name),
      variable: spanOf(parameter),
      ...optional("type", simpleName(parameter.childForFieldName("type")?.text ?? "")),
      modifiers: [],
    }
  })
}

/** The body of a member; an arrow with its semicolon. */
const bodyOf = (node: Node, text: string): Span | undefined => {
  const value = node.childForFieldName("value")
  const arrow = value?.type === "arrow_expression_clause" ? value : null
  const body = node.childForFieldName("body") ?? node.childForFieldName("accessors") ?? arrow
  if (body === null) return undefined
  const isArrow = body.type === "arrow_expression_clause"
  return { start: body.startIndex, end: isArrow && text[node.endIndex - 1] === ";" ? node.endIndex : body.endIndex }
}

/** Where a text cannot be parsed, the first 100 places. */
export const problems = (tree: Tree, text: string): ReadonlyArray<SyntaxProblem> => {
  const found: Array<SyntaxProblem> = []
  const cursor = tree.walk()
  const lines = text.split("\n")
  while (found.length < maxProblems) {
    const node = cursor.currentNode
    if (node.isError || node.isMissing) {
      const { column, row } = node.startPosition
      const problem = node.isMissing
        ? `\`${node.type}\` is missing`
        : `unexpected \`${plain(text.slice(node.startIndex, Math.min(node.endIndex, node.startIndex + 40)))}\``
      found.push({
        line: row + 1,
        column: column + 1,
        problem,
        context: plain(lines[row]?.slice(0, 4 * maxSignatureLength) ?? ""),
      })
    }
    if (!(node.hasError && !node.isError && cursor.gotoFirstChild()) && !next(cursor)) break
  }
  cursor.delete()
  return found
}

/** Goes to the next node that is not below this one. */
const next = (cursor: TreeCursor): boolean => {
  while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return false
  return true
}

export const spanOf = ({ endIndex, startIndex }: Node): Span => ({ start: startIndex, end: endIndex })

const plain = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, maxSignatureLength)

const optional = <Name extends string, A>(name: Name, value: A | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [K in Name]?: A }
