/**
 * The proofs of pages: titles of tests cite the rows of docs/internals/promises.md, docs/guides/loopsmith.md and
 * docs/internals/editor-server-accepted.md, and docs/concepts/security.md links its tests.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as LoopState from "../../packages/loopsmith/src/LoopState.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const text = (path: string) => readFileSync(`${root}/${path}`, "utf8")

const places = [
  "{packages/*,contract-tests,contract-tests/runs,e2e}/test/**/*{.test,Suite}.ts",
  "contract-tests/src/**/*.ts",
]
const tests = globSync(places, { cwd: root, exclude: ["**/node_modules/**"] })

/** What stands between quotation marks, without comments: titles of tests, cases and faults. */
const quoted = (source: string) =>
  (source.replace(/^\s*(?:\/?\*|\/\/).*$/gm, "").match(/"[^"\n]*"|'[^'\n]*'|`[^`]*`/g) ?? []).join("\n")

/** The numbers after a word in parentheses: `(promise 7)`, `(design 4; Promises 1, 2 and 13)`. */
const numbersAfter = (word: string, source: string): ReadonlyArray<number> =>
  [...source.matchAll(new RegExp(`\\b${word}\\s+(\\d+(?:(?:\\s*,\\s*|\\s+and\\s+)\\d+)*)\\b`, "giu"))].flatMap(
    ([, list = ""]) => (list.match(/\d+/g) ?? []).map(Number),
  )

/** The promises of the faults that a file exports. */
const ofFaults = async (file: string): Promise<ReadonlyArray<number>> => {
  if (!/^contract-tests\/src\/faults\/\w+Faults\.ts$/.test(file)) return []
  const exported: ReadonlyArray<unknown> = Object.values(await import(`${root}/${file}`)).flat()
  return exported.flatMap((fault) => (fault as { readonly promises?: ReadonlyArray<number> }).promises ?? [])
}

/** What each test cites, in its titles and by its faults. */
const cited = new Map<string, { readonly source: string; readonly promises: ReadonlyArray<number> }>()
for (const file of tests) cited.set(file, { source: quoted(text(file)), promises: await ofFaults(file) })
const cites = (word: string, file: string): ReadonlyArray<number> => {
  const { promises = [], source = "" } = cited.get(file) ?? {}
  return [...numbersAfter(word, source), ...(word === "promises?" ? promises : [])]
}

const testsLinkedIn = (text: string) => [...text.matchAll(/\]\((?:\.\.\/)*([^)#]+\.ts)/g)].map(([, path = ""]) => path)

/** The numbers of headings such as "### 7. No escaped errors". */
const rowsOf = (page: string) => [...page.matchAll(/^### (\d+)\. \S/gm)].map(([, number]) => Number(number))

const decided = new Set(
  globSync("docs/decisions/*.md", { cwd: root }).flatMap((page) => numbersAfter("promises?", text(page))),
)

describe.each([
  // Twenty-four promises of the clients, six of our servers, six of conversations.
  { page: "docs/internals/promises.md", word: "promises?", count: 36 },
  { page: "docs/guides/loopsmith.md", word: "LoopSmith", count: 11 },
])("the rows of $page", ({ count, page, word }) => {
  const rows = rowsOf(text(page))

  it("stand there once each, in order", () => {
    const expected = Array.from({ length: count }, (_, index) => index + 1)
    assert.deepStrictEqual(rows, expected)
  })

  it("are cited by tests, or a decision says what applies instead, and are all that tests cite", () => {
    const numbers = new Set(tests.flatMap((file) => cites(word, file)))
    const others = rows.filter((number) => !numbers.has(number) && decided.has(number))
    assert.deepStrictEqual(
      [...numbers, ...others].toSorted((a, b) => a - b),
      rows,
    )
  })
})

describe("the rows of docs/internals/editor-server-accepted.md", () => {
  const page = text("docs/internals/editor-server-accepted.md")
  const row = String.raw`(?:\d{3}\.\d+|House \d)`
  const rows = [...page.matchAll(new RegExp(`^\\| (${row}) +\\| .+ \\|$`, "gm"))].map(([, number = ""]) => number)
  const citedIn = (source: string) =>
    [...source.matchAll(new RegExp(`\\beditors (${row}(?:, ${row})*)`, "g"))].flatMap(([, list = ""]) =>
      list.split(", "),
    )

  it("stand there once each, in order", () => {
    const upTo = (count: number, list: string) => Array.from({ length: count }, (_, at) => `${list}${at + 1}`)
    assert.deepStrictEqual(rows, [...upTo(27, "000."), ...upTo(36, "003."), ...upTo(26, "004."), ...upTo(7, "House ")])
  })

  it("are cited by tests, and are all that tests cite", () => {
    const numbers = new Set([...cited.values()].flatMap(({ source }) => citedIn(source)))
    assert.deepStrictEqual([...numbers].toSorted(), rows.toSorted())
  })
})

describe("docs/concepts/security.md", () => {
  const page = text("docs/concepts/security.md")
  const attacksIn = (source: string) => [...source.matchAll(/\(attack: ([^():]+)\)/g)].map(([, name = ""]) => name)
  const tried = new Map(
    globSync("e2e/test/attack/*.test.ts", { cwd: root }).map((file) => [file, attacksIn(text(file))]),
  )

  it("links existing tests", () => {
    const links = testsLinkedIn(page)
    assert.isAbove(links.length, 10)
    for (const path of links) assert.isTrue(existsSync(`${root}/${path}`), path)
  })

  it("has a row for every attack of `pnpm attack`, with its tests", () => {
    const table = page.split("<!-- attacks -->")[1]?.split("\n## ")[0] ?? ""
    const rows = table.split("\n").filter((line) => line.startsWith("| ") && line.includes("](../../"))
    const names = rows.map((row) => {
      const name = row.split("|")[1]?.trim() ?? ""
      const files = [...row.matchAll(/\]\(\.\.\/\.\.\/([^)]+)\)/g)].map(([, file = ""]) => file)
      assert.isNotEmpty(files, name)
      for (const file of files) assert.include(tried.get(file) ?? [], name, file)
      return name
    })
    assert.deepStrictEqual(names.sort(), [...new Set([...tried.values()].flat())].sort())
  })
})

describe("the state machine of docs/guides/loopsmith.md", () => {
  const page = text("docs/guides/loopsmith.md")

  it("is drawn as in the code", () => assert.include(page, LoopState.toMermaid()))

  it("has each arrow in a table, in order, by the names of the code", () => {
    const { edges, events, states } = LoopState
    const rows = page
      .split("\n")
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .filter(([, from = ""]) => Object.keys(states).some((state) => from.startsWith(`\`${state}\``)))
    assert.deepStrictEqual(
      rows.map(([, from, event, to]) => [from, event, to]),
      edges.map(([from, event, to]) => [
        `\`${from}\` ${states[from]}`,
        `\`${event}\` ${events[event]}`,
        `\`${to}\` ${states[to]}`,
      ]),
    )
  })
})
