/**
 * What each package promises to those who use it, as a page: what its manifest asks and offers, the declarations that others
 * can reach, without their comments, and the help of its commands.
 *
 * A page changes when a public type does, and not when a comment, an import or the order of code does. So a change of the
 * API is seen where it is reviewed.
 */
import { existsSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import * as CommandHelp from "./CommandHelp.ts"
import { type Declarations, parse, type Reference, type Statement } from "./Declarations.ts"
import { doors, isLibrary, type Published } from "./Published.ts"
import { unifiedDiff } from "./UnifiedDiff.ts"

/** Where the page of a package is, from the root. */
export const path = ({ directory }: Published): string => posix.join(directory, "api.md")

/** What has changed since the page was committed, and what to do about it; nothing if it is still true. */
export const change = async (root: string, each: Published): Promise<string> => {
  const file = join(root, path(each))
  const before = existsSync(file) ? readFileSync(file, "utf8") : ""
  const diff = unifiedDiff(path(each), before, await page(root, each))
  return diff === "" ? "" : `The API of ${each.manifest.name} is not the one that is committed:\n\n${diff}\n${advice}`
}

const advice = `Not meant? Then it breaks somebody's program: take it back.
Meant? Run pnpm api, commit the pages, and tell users with pnpm changeset what they have to do.
`

/**
 * The page of a package that has been built.
 *
 * @throws when it has not been built
 */
export const page = async (root: string, each: Published): Promise<string> => {
  const { name } = each.manifest
  const preface = `# The API of ${name}\n\nWritten by \`pnpm api\`. What changes here changes for users, and needs a changeset.\n`
  return [preface, terms(each), ...types(root, each), ...(await CommandHelp.sections(root, each))].join("\n")
}

/** Of the manifest, what decides who can use the package, and by which names. */
const terms = ({ manifest: { bin, engines, exports, peerDependencies, peerDependenciesMeta } }: Published): string => {
  const shown = { engines, peerDependencies, peerDependenciesMeta, bin, exports }
  return `## package.json\n\n\`\`\`json\n${JSON.stringify(shown, null, 2)}\n\`\`\`\n`
}

const types = (root: string, library: Published): ReadonlyArray<string> => {
  if (!isLibrary(library)) return []
  const open = doors(root, library)
  const directory = join(root, library.directory, "dist")
  if (!open.some(({ name }) => name === ".")) throw new Error(`${directory} has no declarations. Run pnpm build first.`)
  const names = new Map(open.map(({ module, name }) => [module, posix.join(library.manifest.name, name)]))
  const reached = [...reachable(directory, [...names.keys()])].sort(([one], [other]) => (one < other ? -1 : 1))
  return reached.map(([module, part]) => section(names.get(module) ?? `${module} (no door leads here, types do)`, part))
}

/** What of a module others can reach. */
interface Part {
  readonly declarations: Declarations
  readonly statements: Set<Statement>
}

/** All of the modules that have doors, and what these use of the others, by module. */
const reachable = (directory: string, open: ReadonlyArray<string>): ReadonlyMap<string, Part> => {
  const parts = new Map<string, Part>()
  const at = (module: string): Part => {
    const known = parts.get(module)
    if (known !== undefined) return known
    const file = join(directory, `${module}.d.ts`)
    const part = { declarations: parse(file, readFileSync(file, "utf8")), statements: new Set<Statement>() }
    parts.set(module, part)
    return part
  }
  const reach = (module: string, name: string): void => {
    for (const statement of at(module).declarations.statements) {
      if (name === "*" || statement.names.includes(name) || statement.names.includes("*")) take(module, statement)
    }
  }
  const take = (module: string, statement: Statement): void => {
    const { declarations, statements } = at(module)
    if (statements.has(statement)) return
    statements.add(statement)
    for (const mention of statement.mentions) if (!mention.includes(".")) reach(module, mention)
    for (const reference of outward(declarations, statement)) {
      if (reference.from.startsWith(".")) reach(relative(module, reference.from), reference.name)
    }
  }
  for (const module of open) reach(module, "*")
  for (const module of loaded(at, open)) {
    for (const statement of at(module).declarations.statements) if (statement.isAmbient) take(module, statement)
  }
  return new Map([...parts].filter(([, { statements }]) => statements.size > 0))
}

/** Every module that a program loads with the ones that it imports: what they declare for all holds for it. */
const loaded = (at: (module: string) => Part, open: ReadonlyArray<string>): ReadonlySet<string> => {
  const seen = new Set(open)
  for (const module of seen) {
    for (const from of at(module).declarations.loaded) if (from.startsWith(".")) seen.add(relative(module, from))
  }
  return seen
}

const relative = (module: string, from: string): string =>
  posix.join(posix.dirname(module), from).replace(/\.(js|ts)$/, "")

/** What a statement uses of other modules; of a namespace, the members that it names. */
const outward = ({ imported }: Declarations, { imports, mentions, whole }: Statement): ReadonlyArray<Reference> => {
  const used = [...mentions].flatMap((mention) => {
    const reference = imported.get(mention)
    if (reference === undefined) return []
    const members = [...mentions].filter((other) => other.startsWith(`${mention}.`)).map((other) => other.split(".")[1])
    if (reference.name !== "*" || whole.has(mention) || members.length === 0) return [reference]
    return members.map((name = "*") => ({ from: reference.from, name }))
  })
  return [...imports, ...used]
}

const section = (title: string, { declarations, statements }: Part): string => {
  const shown = declarations.statements.filter((statement) => statements.has(statement))
  const mentions = new Set(shown.flatMap((statement) => [...statement.mentions]))
  const imports = [...declarations.imported].filter(([local]) => mentions.has(local)).map(importLine)
  const lines = [...imports.sort(), ...(imports.length > 0 ? [""] : []), ...shown.map(({ text }) => text)]
  return `## ${title}\n\n\`\`\`ts\n${lines.join("\n")}\n\`\`\`\n`
}

const importLine = ([local, { from, name }]: readonly [string, Reference]): string => {
  if (name === "*") return `import * as ${local} from "${from}"`
  return `import { ${name === local ? name : `${name} as ${local}`} } from "${from}"`
}
