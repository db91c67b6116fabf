/**
 * What is wrong with what is in a package: things that neither `publint` nor `attw` look at.
 */
import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join, posix } from "node:path"
import { parseSync } from "oxc-parser"
import { parse } from "../Declarations.ts"
import { noticesFile } from "../Notices.ts"
import { doors, isLibrary, type Manifest } from "../Published.ts"

/** Nobody outside of a workspace can resolve these. */
const ours = /"(workspace|catalog|link|file):/

/** What nobody needs who installs a package. */
const unwanted = /(^|\/)(test|tests|__tests__|\.turbo|node_modules)\/|\.(test|spec|tmp)\.|\.tsbuildinfo$|(^|\/)scratch/

/** What no declaration that others reach may name, so that a user of types does not depend on it. */
const hidden = ["@modelcontextprotocol/sdk"]

/**
 * @param directory an unpacked package
 * @param root the workspace that it was made in, which nothing in it may name
 * @returns a line for everything that is wrong
 */
export const problems = (directory: string, root: string): ReadonlyArray<string> => {
  const files = globSync("**/*", { cwd: directory })
    .filter((file) => statSync(join(directory, file)).isFile())
    .map((file) => file.replaceAll("\\", "/"))
    .sort()
  const text = (file: string) => readFileSync(join(directory, file), "utf8")
  const manifest: Manifest = JSON.parse(text("package.json"))
  const open = doors(directory, { directory: ".", manifest }).map(({ module }) => `dist/${module}.d.ts`)
  const place = placeOf(root)
  const specifiers: Specifiers = new Map(
    files
      .filter((file) => /^(bin|dist)\/.*(\.js|\.d\.ts)$/.test(file))
      .map((file) => [file, specifiersOf(file, text(file))]),
  )
  const naming = files.filter((file) => place.test(text(file)))
  return [
    ...["LICENSE", "README.md"].filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...(ours.test(text("package.json")) ? ["package.json names a version that only the workspace knows"] : []),
    ...files.filter((file) => unwanted.test(file)).map((file) => `${file} is of no use to others`),
    ...naming.map((file) => `${file} names ${root}`),
    ...(isLibrary({ directory, manifest }) ? unmatched(files) : []),
    ...files.filter((file) => file.endsWith(".map")).flatMap((file) => unmapped(directory, file, text(file))),
    ...unlicensed(files, manifest),
    ...imports(specifiers, manifest, open),
    ...leftOver(files, specifiers, manifest),
  ]
}

/** A path as such. The end of a longer one, or the beginning of another name, is something else. */
const placeOf = (root: string) => {
  const literal = root.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
  return new RegExp(`(?<=^|[^\\w.@~/-]|\\bfile://)${literal}(?![\\w-]|\\.\\w)`, "m")
}

/** Each module is five files: a source, and what was made of it, code, declarations, and the way back from both. */
const unmatched = (files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const made = files.map((file) => /^dist\/(.*?)\.(?:js|d\.ts)(?:\.map)?$/.exec(file)?.[1] ?? "")
  const sources = files.map((file) => /^src\/(.*?)(?:\.d)?\.ts$/.exec(file)?.[1] ?? "")
  if (made.every((module) => module === "")) return ["dist is missing"]
  const modules = new Set([...made, ...sources])
  modules.delete("")
  return [...modules].flatMap((module) =>
    [".js", ".js.map", ".d.ts", ".d.ts.map"]
      .map((extension) => `dist/${module}${extension}`)
      .concat(`src/${module}.ts`)
      .filter((file) => !files.includes(file))
      .map((file) => `${file} is missing beside what else there is of ${module}`),
  )
}

/** A command without declarations is a bundle. */
const bundles = (files: ReadonlyArray<string>, { bin = {} }: Manifest): ReadonlyArray<string> =>
  Object.values(bin)
    .map((file) => posix.join(file))
    .filter((file) => !files.includes(file.replace(/\.js$/, ".d.ts")))

/** A bundle has the code of others in it. */
const unlicensed = (files: ReadonlyArray<string>, manifest: Manifest): ReadonlyArray<string> =>
  [...new Set(bundles(files, manifest).map((file) => posix.join(posix.dirname(file), noticesFile)))]
    .filter((file) => !files.includes(file))
    .map((file) => `${file} is missing: the licences of what is bundled`)

/** Pieces of a bundle have names of their content, so an old piece is beside the new one and not in its place. */
const leftOver = (files: ReadonlyArray<string>, specifiers: Specifiers, manifest: Manifest): ReadonlyArray<string> => {
  const first = bundles(files, manifest)
  const directories = first.map((file) => `${posix.dirname(file)}/`)
  const reached = new Set(first.flatMap((file) => [...everything(specifiers, file).files]))
  return files
    .filter((file) => file.endsWith(".js") && directories.some((directory) => file.startsWith(directory)))
    .filter((file) => !reached.has(file))
    .map((file) => `${file} is reached by no command: it was left over by an earlier build`)
}

const unmapped = (directory: string, file: string, text: string): ReadonlyArray<string> => {
  const { sources } = JSON.parse(text) as { readonly sources: ReadonlyArray<string> }
  return sources
    .filter((source) => posix.isAbsolute(source) || !existsSync(join(directory, posix.dirname(file), source)))
    .map((source) => `${file} leads to ${source}, which is not in the package`)
}

/** Every package that code or declarations import has to be one that is installed with them. */
const imports = (
  specifiers: Specifiers,
  { dependencies = {}, name: self, peerDependencies = {}, peerDependenciesMeta = {} }: Manifest,
  open: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const declared = [self, ...Object.keys(dependencies), ...Object.keys(peerDependencies)]
  const optional = Object.keys(peerDependenciesMeta).filter((name) => peerDependenciesMeta[name]?.optional)
  const found: Array<string> = []
  for (const [file, all] of specifiers) {
    for (const name of new Set(all.filter((specifier) => !specifier.startsWith(".")))) {
      const from = packageOf(name)
      if (!isBuiltin(name) && !declared.includes(from)) found.push(`${file} imports ${name}, which nobody installs`)
    }
  }
  for (const file of ["dist/index.js", "dist/index.d.ts"]) {
    for (const name of everything(specifiers, file).names) {
      if (optional.includes(packageOf(name))) found.push(`${file} leads to ${name}, which may be missing`)
    }
  }
  for (const file of open) {
    for (const name of everything(specifiers, file).names) {
      if (hidden.some((each) => packageOf(name) === each))
        found.push(`${file} names ${name}, which is no part of the API`)
    }
  }
  return found
}

/** What each file imports. */
type Specifiers = ReadonlyMap<string, ReadonlyArray<string>>

/** What a module imports, by itself and by what it imports: `files` of the package, itself included, and `names` of others. */
const everything = (specifiers: Specifiers, first: string) => {
  const seen = new Set<string>()
  const names = new Set<string>()
  const visit = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    for (const specifier of specifiers.get(file) ?? []) {
      if (!specifier.startsWith(".")) names.add(specifier)
      else visit(posix.join(posix.dirname(file), declarationsOf(file, specifier)))
    }
  }
  visit(first)
  return { files: seen, names }
}

/** In declarations `./a.js` and `./a.ts` stand for `./a.d.ts`. */
const declarationsOf = (file: string, specifier: string) =>
  file.endsWith(".d.ts") ? specifier.replace(/\.(js|ts)$/, ".d.ts") : specifier

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

/** What a file imports or exports from elsewhere, in place too. A computed specifier is nobody's. */
const specifiersOf = (file: string, text: string): ReadonlyArray<string> => {
  if (file.endsWith(".d.ts")) return [...parse(file, text).loaded]
  const { module } = parseSync(file, text, { lang: "js", sourceType: "module" })
  const dynamic = module.dynamicImports.flatMap(({ moduleRequest: { end, start } }) => {
    const literal = /^["'](.*)["']$/.exec(text.slice(start, end))
    return literal?.[1] === undefined ? [] : [literal[1]]
  })
  const again = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap((each) => each.moduleRequest?.value ?? []),
  )
  return [...module.staticImports.map(({ moduleRequest }) => moduleRequest.value), ...again, ...dynamic]
}
