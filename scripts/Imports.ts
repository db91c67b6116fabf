/**
 * What the files of this repository import.
 */
import { type ParserOptions, parseSync, Visitor } from "oxc-parser"

const options: ParserOptions = { lang: "ts", sourceType: "module" }

interface Literal {
  readonly value?: unknown
}

interface Importing {
  readonly source: (Literal & { readonly literal?: Literal }) | null
}

/** Every module that a file names: imports, re-exports, dynamic imports and types, and what lies at a URL beside it. */
export const specifiers = (file: string, source: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const add = ({ source }: Importing) => {
    if (source !== null) found.push(String(source.value ?? source.literal?.value ?? "(a computed specifier)"))
  }
  const urls = [...source.matchAll(/new URL\(\s*["`](\.[^"`]*\.m?[jt]s)["`],\s*import\.meta\.url/g)]
  const { errors, program } = parseSync(file, source, options)
  if (errors.length > 0) return ["(a file that does not parse)"]
  new Visitor({
    ImportDeclaration: add,
    ExportAllDeclaration: add,
    ExportNamedDeclaration: add,
    ImportExpression: (node) => add(node as unknown as Importing),
    TSImportType: add,
  }).visit(program)
  return [...found, ...urls.map(([, path = ""]) => path)]
}

/** The package that a specifier names: `@zain/core` of `@zain/core/McpError`. */
export const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

/** Everything that can be reached from itself, and what lies between two such circles. */
export const circles = (graph: ReadonlyMap<string, Iterable<string>>): ReadonlyArray<string> => {
  const left = new Map([...graph].map(([name, targets]) => [name, new Set(targets)]))
  const isEnd = (name: string) =>
    ![...(left.get(name) ?? [])].some((target) => left.has(target)) ||
    ![...left.values()].some((targets) => targets.has(name))
  for (let ends = [...left.keys()]; ends.length > 0; ) {
    ends = [...left.keys()].filter(isEnd)
    for (const name of ends) left.delete(name)
  }
  return [...left.keys()]
}
