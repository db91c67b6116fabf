/**
 * The statements of a declaration file, without comments.
 */
import { parseSync, type StaticExportEntry } from "oxc-parser"

/** A name of another module, or all of them (`*`). */
export interface Reference {
  readonly from: string
  readonly name: string
}

/** A statement that declares or exports something. */
export interface Statement {
  /** The declared or exported names. */
  readonly names: ReadonlyArray<string>
  readonly text: string
  /** Applies to all programs that load the module, as `declare global`. */
  readonly isAmbient: boolean
  /** Every name that it uses, and the member of it, or all of them: `a` and `b` of `a.b`, `a` and `*` of `a`. */
  readonly mentions: ReadonlyArray<readonly [name: string, member: string]>
  /** What it imports in place, or exports from elsewhere. */
  readonly imports: ReadonlyArray<Reference>
}

/** `imported`: by the name that it has here. */
export interface Declarations {
  readonly statements: ReadonlyArray<Statement>
  readonly imported: ReadonlyMap<string, Reference>
}

/** @throws when the text is no TypeScript */
export const parse = (path: string, source: string): Declarations => {
  const { comments, errors, module, program } = parseSync(path, source, { lang: "dts", sourceType: "module" })
  if (errors.length > 0) throw new Error(`${path} is no file of declarations: ${errors[0]?.message}`)
  const code = comments.reduceRight(
    (text, { end, start }) => text.slice(0, start) + " ".repeat(end - start) + text.slice(end),
    source,
  )
  const imported = module.staticImports.flatMap(({ entries, moduleRequest }) =>
    entries.map(({ importName, localName }) => {
      const name = importName.name ?? (importName.kind === "Default" ? "default" : "*")
      return [localName.value, { from: moduleRequest.value, name }] as const
    }),
  )
  const statements = program.body.flatMap(({ end, start, type }) => {
    const exported = module.staticExports.find((each) => each.start === start)?.entries ?? []
    const found = statement(code.slice(start, end), exported)
    return type === "ImportDeclaration" || found.text === "export {};" ? [] : [found]
  })
  return { statements: statements.sort(byName), imported: new Map(imported) }
}

/** Overloads keep their order, as it counts. */
const byName = ({ names: [one = ""] }: Statement, { names: [other = ""] }: Statement) =>
  one < other ? -1 : one > other ? 1 : 0

const statement = (code: string, exported: ReadonlyArray<StaticExportEntry>): Statement => {
  const [, declared, kind = "", own = ""] = /^(declare )?(?:abstract )?(\w+) (\w*)/.exec(code) ?? []
  const names = exported.map(({ exportName: { kind, name } }) => name ?? (kind === "Default" ? "default" : "*"))
  const elsewhere = exported.flatMap(({ importName, moduleRequest }) =>
    moduleRequest === null ? [] : [{ from: moduleRequest.value, name: importName.name ?? "*" }],
  )
  const found = [...code.matchAll(/import\("([^"]+)"\)(?:\.(\w+))?/g)]
  const inPlace = found.map(([, from = "", name = "*"]) => ({ from, name }))
  return {
    names: exported.length > 0 ? names : [own],
    text: code.replace(/[ \t]+$/gm, "").replace(/\n+/g, "\n"),
    isAmbient: declared !== undefined && ["global", "module"].includes(kind),
    // The key of a member names nothing.
    mentions: [...code.matchAll(/(?<![\w$."])([A-Za-z_$][\w$]*)\b(?!\??:)(?:\.([\w$]+))?/g)].map(
      ([, name = "", member = "*"]) => [name, member] as const,
    ),
    imports: [...elsewhere, ...inPlace],
  }
}
