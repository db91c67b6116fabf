/**
 * The API of each package as a page: its manifest, the declarations that users can import, without comments, and the
 * help of its commands.
 *
 * A page changes with public types, not with comments, imports or the order of code, so that a review shows each change
 * of the API.
 */
import { existsSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { createTwoFilesPatch } from "diff"
import * as CommandHelp from "./CommandHelp.ts"
import { type Declarations, parse, type Reference, type Statement } from "./Declarations.ts"
import { doors, isBundle, isLibrary, modules, type Published } from "./Published.ts"

/** The path of a package's page, from the root. */
export const path = ({ directory }: Published): string => posix.join(directory, "api.md")

/** The difference from the committed page, with advice; undefined without one. */
export const change = async (root: string, each: Published): Promise<string> => {
  const file = join(root, path(each))
  const before = existsSync(file) ? readFileSync(file, "utf8") : ""
  const after = await page(root, each)
  if (before === after) return ""
  const diff = createTwoFilesPatch(`${path(each)} as committed`, `${path(each)} as built`, before, after)
  return `The API of ${each.manifest.name} is not the one that is committed:\n\n${diff}\n${advice}`
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
  const declared = types(root, each)
  const helps = await CommandHelp.all(root, each)
  const commands = helps.map(([words, text]) => `## ${words} --help\n\n\`\`\`text\n${text}\n\`\`\`\n`)
  return [preface, terms(each), ...declared, ...commands].join("\n")
}

/** The members of the manifest that decide who can use the package, and its exports. */
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
  // What a bundle declares is copied from the packages in it.
  if (isBundle(library)) return [section(library.manifest.name, exported(join(directory, "index.d.ts")))]
  const reached = reachable(directory, modules(root, library), names.keys())
  return reached.map(([module, part]) => section(names.get(module) ?? `${module} (no door leads here, types do)`, part))
}

/** The importable declarations of a module. */
interface Part {
  readonly declarations: Declarations
  readonly statements: Set<Statement>
}

/** The exports of a file, without what they name. */
const exported = (file: string): Part => {
  const declarations = parse(file, readFileSync(file, "utf8"))
  return { declarations, statements: new Set(declarations.statements.filter(({ text }) => text.startsWith("export"))) }
}

/** All declarations of exported modules, those that they use of others, and global ones. */
const reachable = (
  directory: string,
  all: ReadonlyArray<string>,
  open: Iterable<string>,
): ReadonlyArray<readonly [module: string, part: Part]> => {
  const parts = new Map<string, Part>()
  for (const module of all) {
    const file = join(directory, `${module}.d.ts`)
    parts.set(module, { declarations: parse(file, readFileSync(file, "utf8")), statements: new Set() })
  }
  const reach = (module: string, isReached: (statement: Statement) => boolean): void => {
    for (const statement of parts.get(module)?.declarations.statements.filter(isReached) ?? []) take(module, statement)
  }
  const named = (module: string, name: string) =>
    reach(module, ({ names }) => name === "*" || names.includes(name) || names.includes("*"))
  const follow = (module: string, { from, name }: Reference) => {
    if (from.startsWith(".")) named(posix.join(posix.dirname(module), from).replace(/\.(js|ts)$/, ""), name)
  }
  const take = (module: string, statement: Statement): void => {
    const { declarations, statements } = parts.get(module) as Part
    if (statements.has(statement)) return
    statements.add(statement)
    for (const [name, member] of statement.mentions) {
      named(module, name)
      const target = declarations.imported.get(name)
      if (target !== undefined) follow(module, { ...target, name: target.name === "*" ? member : target.name })
    }
    for (const reference of statement.imports) follow(module, reference)
  }
  for (const module of open) named(module, "*")
  for (const module of all) reach(module, ({ isAmbient }) => isAmbient)
  return [...parts].filter(([, { statements }]) => statements.size > 0)
}

const section = (title: string, { declarations, statements }: Part): string => {
  const shown = declarations.statements.filter((statement) => statements.has(statement))
  const mentions = new Set(shown.flatMap((statement) => statement.mentions.map(([name]) => name)))
  const imports = [...declarations.imported].filter(([local]) => mentions.has(local)).map(importLine)
  const lines = [...imports.sort(), ...(imports.length > 0 ? [""] : []), ...shown.map(({ text }) => text)]
  return `## ${title}\n\n\`\`\`ts\n${lines.join("\n")}\n\`\`\`\n`
}

const importLine = ([local, { from, name }]: readonly [string, Reference]): string => {
  if (name === "*") return `import * as ${local} from "${from}"`
  return `import { ${name === local ? name : `${name} as ${local}`} } from "${from}"`
}
