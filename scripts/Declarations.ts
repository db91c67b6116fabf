/**
 * What a file of declarations says, statement by statement, without its comments.
 */
import { type Node, parseSync } from "oxc-parser"

/** What a name of a module stands for in another one: a name there, or all of it (`*`). */
export interface Reference {
  readonly from: string
  readonly name: string
}

/**
 * A statement that declares or exports something.
 *
 * - `names`: what it declares, or what others know it by
 * - `isAmbient`: holds for everybody who loads the module, as `declare global` does
 * - `mentions`: every name that it uses, and the members of names, as `a.b`
 * - `whole`: those of the names of which it uses more than members, as `typeof a` does
 * - `imports`: what it imports in place, or exports from elsewhere
 */
export interface Statement {
  readonly names: ReadonlyArray<string>
  readonly text: string
  readonly isAmbient: boolean
  readonly mentions: ReadonlySet<string>
  readonly whole: ReadonlySet<string>
  readonly imports: ReadonlyArray<Reference>
}

/** `imported`: by the name that it has here. `loaded`: every module that this one imports, for nothing but itself too. */
export interface Declarations {
  readonly statements: ReadonlyArray<Statement>
  readonly loaded: ReadonlySet<string>
  readonly imported: ReadonlyMap<string, Reference>
}

/** @throws when the text is no TypeScript */
export const parse = (path: string, text: string): Declarations => {
  const { comments, errors, program } = parseSync(path, text, { lang: "dts", sourceType: "module" })
  if (errors.length > 0) throw new Error(`${path} is no file of declarations: ${errors[0]?.message}`)
  const imported = new Map<string, Reference>()
  const loaded = new Set<string>()
  const statements: Array<Statement> = []
  for (const node of program.body) {
    if (node.type === "ImportDeclaration") {
      loaded.add(node.source.value)
      for (const specifier of node.specifiers) {
        const name = specifier.type === "ImportSpecifier" ? nameOf(specifier.imported) : "*"
        const reference = {
          from: node.source.value,
          name: specifier.type === "ImportDefaultSpecifier" ? "default" : name,
        }
        imported.set(specifier.local.name, reference)
      }
      continue
    }
    const found = statement(node, without(text, comments, node))
    for (const { from } of found.imports) loaded.add(from)
    if (found.text !== "export {};") statements.push(found)
  }
  return { statements: [...statements].sort(byName), imported, loaded }
}

/** Overloads keep their order, as it counts. */
const byName = (one: Statement, other: Statement) => {
  const [left = "", right = ""] = [one.names[0], other.names[0]]
  return left < right ? -1 : left > right ? 1 : 0
}

interface Span {
  readonly start: number
  readonly end: number
}

const without = (text: string, comments: ReadonlyArray<Span>, { end, start }: Span): string => {
  const inside = comments.filter((comment) => comment.start >= start && comment.end <= end)
  const edges = [start, ...inside.flatMap((comment) => [comment.start, comment.end]), end]
  const pieces = edges.flatMap((edge, index) => (index % 2 === 0 ? [text.slice(edge, edges[index + 1])] : []))
  return pieces
    .join("")
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .join("\n")
}

const statement = (node: Node, text: string): Statement => {
  const mentions = new Set<string>()
  const whole = new Set<string>()
  const imports: Array<Reference> = []
  walk(node, (inner, outer) => {
    if (inner.type === "Identifier") {
      mentions.add(inner.name)
      if (!isPart(inner, outer)) whole.add(inner.name)
    }
    if (inner.type === "TSQualifiedName" && inner.left.type === "Identifier") {
      mentions.add(`${inner.left.name}.${inner.right.name}`)
    }
    if (inner.type === "MemberExpression" && inner.object.type === "Identifier" && "name" in inner.property) {
      mentions.add(`${inner.object.name}.${inner.property.name}`)
    }
    if (inner.type === "TSImportType") {
      const name = first(inner.qualifier)
      imports.push({ from: inner.source.value, name })
    }
  })
  if (node.type === "ExportAllDeclaration") imports.push({ from: node.source.value, name: "*" })
  if (node.type === "ExportNamedDeclaration" && node.source !== null) {
    for (const { local } of node.specifiers) imports.push({ from: node.source.value, name: nameOf(local) })
  }
  const isAmbient = node.type === "TSModuleDeclaration" && (node.kind === "global" || node.id.type === "Literal")
  return { names: names(node), text, isAmbient, mentions, whole, imports }
}

/** Whether a name is the `a` of `a.b`, or that of a field, a method or a parameter. */
const isPart = (inner: Node, outer: Node | undefined): boolean => {
  if (outer === undefined) return false
  if ("typeAnnotation" in inner && inner.typeAnnotation !== null) return true
  if ("key" in outer && outer.key === inner) return !("computed" in outer && outer.computed)
  if (outer.type === "TSQualifiedName") return true
  return outer.type === "MemberExpression" && !outer.computed
}

const names = (node: Node): ReadonlyArray<string> => {
  if (node.type === "ExportAllDeclaration") return [node.exported === null ? "*" : nameOf(node.exported)]
  if (node.type === "ExportNamedDeclaration") {
    return node.declaration === null ? node.specifiers.map(({ exported }) => nameOf(exported)) : names(node.declaration)
  }
  if (node.type === "ExportDefaultDeclaration") return ["default"]
  if (node.type === "VariableDeclaration") {
    return node.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []))
  }
  const id = "id" in node ? node.id : null
  return id !== null && "name" in id && typeof id.name === "string" ? [id.name] : []
}

type ModuleName = { readonly name: string } | { readonly value: string }

const nameOf = (name: ModuleName): string => ("name" in name ? name.name : name.value)

type Qualifier = Extract<Node, { readonly type: "TSImportType" }>["qualifier"]

/** Of `import("./x").A.B`, `A`; of `import("./x")`, all. */
const first = (qualifier: Qualifier): string => {
  if (qualifier === null) return "*"
  return qualifier.type === "Identifier" ? qualifier.name : first(qualifier.left as Qualifier)
}

const walk = (node: Node, visit: (node: Node, outer: Node | undefined) => void, outer?: Node): void => {
  visit(node, outer)
  for (const value of Object.values(node)) {
    for (const inner of Array.isArray(value) ? value : [value]) {
      if (typeof inner === "object" && inner !== null && "type" in inner) walk(inner, visit, node)
    }
  }
}
