/**
 * The imports of this repository's files.
 */
import { parseSync, Visitor } from "oxc-parser"

interface Importing {
  readonly source: { readonly value?: unknown; readonly literal?: { readonly value?: unknown } } | null
}

/** Every module that a file names: imports, re-exports, dynamic imports and types, and what lies at a URL beside it. */
export const specifiers = (file: string, source: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const add = ({ source }: Importing) => {
    if (source !== null) found.push(String(source.value ?? source.literal?.value ?? "(a computed specifier)"))
  }
  const urls = [...source.matchAll(/new URL\(\s*["`](\.[^"`]*\.m?[jt]s)["`],\s*import\.meta\.url/g)]
  const { errors, program } = parseSync(file, source, { lang: "ts", sourceType: "module" })
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
