/**
 * The shape of the sources against bounds that only fall: circles of folders, sizes of packages and functions, imports of
 * another package's tests, readers of one header. Prints what is over, and where.
 */
import { globSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { parseSync, Visitor } from "oxc-parser"
import { specifiers } from "./Imports.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const folders = "{packages/*,contract-tests,contract-tests/runs,e2e,bench,docs}"
const exclude = ["**/node_modules/**", "**/dist/**", "**/bin/**", "**/fixtures/**"]
const files = globSync(`${folders}/**/*.{ts,mjs,py}`, { cwd: root, exclude }).map((path) => ({
  path,
  text: readFileSync(join(root, path), "utf8"),
  owner: /^(packages\/[^/]+|contract-tests\/runs|[^/]+)/.exec(path)?.[0] ?? "",
}))
type File = (typeof files)[number]
const isSource = ({ owner, path }: File) => path.startsWith(`${owner}/src/`) || path.includes("/zain_bridge/")
const sources = files.filter(isSource)
const scripts = files.filter(({ path }) => !path.endsWith(".py"))

const targets = ({ path, text }: File): ReadonlyArray<string> =>
  specifiers(path, text)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => posix.join(dirname(path), specifier))

/** Folders that reach themselves by imports of others; a folder and one within it are one. */
const circles = (): ReadonlyArray<string> => {
  const after = new Map<string, Set<string>>()
  for (const file of scripts.filter(isSource)) {
    const from = dirname(file.path)
    const next = targets(file).map(dirname)
    const others = next.filter((to) => to.startsWith(`${file.owner}/`) && !within(from, to) && !within(to, from))
    after.set(from, new Set([...(after.get(from) ?? []), ...others]))
  }
  const reach = (folder: string, seen = new Set<string>()): Set<string> => {
    for (const next of after.get(folder) ?? []) if (!seen.has(next)) reach(next, seen.add(next))
    return seen
  }
  return [...after.keys()].filter((folder) => reach(folder).has(folder))
}
const within = (one: string, other: string) => one === other || one.startsWith(`${other}/`)

const testsOfOthers = (): ReadonlyArray<string> =>
  scripts.flatMap((file) =>
    targets(file)
      .filter((target) => /^(packages\/[^/]+|[^/]+)\/test\//.test(target) && !target.startsWith(`${file.owner}/`))
      .map((target) => `${file.path} imports ${target}`),
  )

/** Functions of over 100 lines, with what is within them. */
const longFunctions = (): ReadonlyArray<string> =>
  scripts.filter(isSource).flatMap(({ path, text }) => {
    const long: Array<string> = []
    const look = ({ end, start }: { readonly start: number; readonly end: number }) => {
      if (text.slice(start, end).split("\n").length <= 100) return
      long.push(`${path}:${text.slice(0, start).split("\n").length}`)
    }
    const { program } = parseSync(path, text, { lang: "ts", sourceType: "module" })
    new Visitor({ ArrowFunctionExpression: look, FunctionExpression: look, FunctionDeclaration: look }).visit(program)
    return long
  })

/** Files that read a frame's header, fakes and faults apart. */
const headerReaders = (): ReadonlyArray<string> =>
  sources
    .filter(({ path, text }) => !/\/fa(ke|ults)\//.test(path) && /\/[^/\n]*content-length:.*\/i/i.test(text))
    .map(({ path }) => path)

/** Packages that hold over 15 % of all lines of sources. */
const largePackages = (): ReadonlyArray<string> => {
  const lines = (of: ReadonlyArray<File>) => of.reduce((sum, { text }) => sum + text.split("\n").length, 0)
  const shares = [...Map.groupBy(sources, ({ owner }) => owner)].map(
    ([owner, own]) => [owner, lines(own) / lines(sources)] as const,
  )
  return shares.filter(([, share]) => share > 0.15).map(([owner, share]) => `${owner}: ${Math.round(share * 100)} %`)
}

/** The numbers allowed. A number that falls is written down here, and none rises: 5 long functions and 1 reader are wanted. */
const checks: ReadonlyArray<readonly [what: string, max: number, found: ReadonlyArray<string>]> = [
  ["folders in a circle", 0, circles()],
  ["imports of another package's tests", 0, testsOfOthers()],
  ["functions of over 100 lines", 31, longFunctions()],
  ["readers of the header of a frame", 3, headerReaders()],
  ["packages of over 15 % of all sources", 0, largePackages()],
]
for (const [what, max, found] of checks) {
  process.stdout.write(`${what}: ${found.length}, ${max} allowed\n`)
  if (found.length > max) process.stderr.write(found.map((place) => `  ${place}\n`).join(""))
}
process.exitCode = checks.some(([, max, found]) => found.length > max) ? 1 : 0
