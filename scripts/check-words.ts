/** Every source and page against the words that CONTRIBUTING.md rules out, and names of documents that are not here. Each stands in brackets, so that this file passes. */
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const rules = [
  [
    /\b(?:nobod[y]|whoeve[r]|tol[d]|hear[s]|owe[s]|who\s+want[s])\b|desig[n] §|\bissu[e] \d|wir[e] fact/gi,
    "name what acts and what it does, and as a source a page of this repository",
  ],
  [/\b(?:most|longest|shortest|largest|smallest)[A-Z]\w*/g, "a bound is named `max…` or `min…`, with its unit"],
] as const
const patterns = ["**/*.{ts,mts,mjs,js,py,md,graphql,yml}", ".{changeset,github}/**/*.{md,yml}"]
const generated = /(?:^|\/)(?:node_modules|dist|bin|\.turbo|\.vitepress|reference\/api)(?:\/|$)/

const files = globSync(patterns, { cwd: root, exclude: (path) => generated.test(path) })
const lines = files.sort().flatMap((file) => {
  const text = readFileSync(`${root}${file}`, "utf8")
  return rules.flatMap(([rule, advice]) =>
    [...text.matchAll(rule)].map(
      ({ 0: word, index }) => `${file}:${text.slice(0, index).split("\n").length}: "${word}"; ${advice}\n`,
    ),
  )
})
process.stderr.write(lines.join(""))
process.stdout.write(`${files.length} files, ${lines.length} words against the rules\n`)
process.exitCode = lines.length === 0 && files.length > 0 ? 0 : 1
