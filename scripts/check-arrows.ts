/**
 * Every import against the arrows and against the package.json of its package. Biome finds circles of files, pnpm those
 * of packages. No package, and no two packages' sources, have two files of one name: a reader finds a file by its name alone.
 */
import { globSync, readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { placeOf, rules, violations } from "./Arrows.ts"
import { packageOf, specifiers } from "./Imports.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const text = (file: string) => readFileSync(join(root, file), "utf8")

const folders = "{packages/*,contract-tests,contract-tests/runs,e2e,examples,bench,docs}"
const exclude = ["**/node_modules/**", "**/dist/**", "**/bin/**"]
const files = globSync(`${folders}/**/*.{ts,mjs}`, { cwd: root, exclude })
const imports = files.map((file) => [file, specifiers(file, text(file))] as const)

const dependenciesOf = (manifest: Readonly<Record<string, object>>): ReadonlyArray<string> =>
  ["dependencies", "devDependencies", "peerDependencies"].flatMap((kind) => Object.keys(manifest[kind] ?? {}))
const tools = dependenciesOf(JSON.parse(text("package.json")))
const packages = globSync(`${folders}/package.json`, { cwd: root })
  .map((file) => ({ directory: dirname(file), manifest: JSON.parse(text(file)) }))
  .map(({ directory, manifest }) => ({ directory, name: String(manifest.name), named: dependenciesOf(manifest) }))
  .sort((one, other) => other.directory.length - one.directory.length)
const packageAt = (file: string) => packages.find(({ directory }) => file.startsWith(`${directory}/`))

/** What a file needs of other packages, and its package.json does not name. */
const undeclared = (file: string, specifiers: ReadonlyArray<string>): ReadonlyArray<string> => {
  const own = packageAt(file)
  const declared = [own?.name, ...(own?.named ?? []), ...tools]
  return specifiers.flatMap((specifier) => {
    const isOwn = isBuiltin(specifier) || specifier.startsWith("(")
    const needed = specifier.startsWith(".") ? packageAt(join(dirname(file), specifier))?.name : packageOf(specifier)
    if (isOwn || needed === undefined || declared.includes(needed)) return []
    return [`${file}: imports ${specifier}, but ${own?.directory}/package.json does not name ${needed}.`]
  })
}

/** Examples are copied one by one. */
const isAlone = (file: string) => !file.startsWith("examples/") && !file.endsWith("/index.ts")
const isSource = (file: string) => /^(packages\/[^/]+|contract-tests)\/src\//.test(file)
const twice = (all: ReadonlyArray<string>, keyOf: (file: string) => string) =>
  Object.values(Object.groupBy(all.filter(isAlone), keyOf)).filter((same = []) => same.length > 1)
const ruledTests = Object.keys(rules).filter((place) => /\/test(ing)?\//.test(place))
const isRuled = (file: string) => isSource(file) || ruledTests.some((place) => file.startsWith(`${place}/`))
const lines = imports.flatMap(([file, all]) => [
  ...(isRuled(file) ? violations(placeOf(file), file, all) : []),
  ...undeclared(file, all),
])
for (const same of [
  ...twice(files, (file) => `${packageAt(file)?.name} ${basename(file)}`),
  ...twice(files.filter(isSource), (file) => basename(file)),
]) {
  lines.push(`${same?.join(", ")}: one name for two files.`)
}
for (const line of lines) process.stderr.write(`${line}\n`)
process.stdout.write(`${files.length} files, ${lines.length} against the rules\n`)
process.exitCode = lines.length === 0 && files.length > 0 ? 0 : 1
