/**
 * The proofs of pages: titles of tests cite the rows of pages, and docs/concepts/security.md links its tests.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as LoopState from "../../packages/loopsmith/src/LoopState.ts"
import * as Proofs from "../Proofs.ts"
import type { FileReport } from "../TestReport.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const text = (path: string) => readFileSync(`${root}/${path}`, "utf8")

const places = [
  "{packages/*,contract-tests,contract-tests/runs,e2e}/{test,testing}/**/*{.test,Suite}.ts",
  "contract-tests/src/**/*.ts",
]

/** What stands between quotation marks, without comments: titles of tests and cases. */
const quoted = (source: string) =>
  (source.replace(/^\s*(?:\/?\*|\/\/).*$/gm, "").match(/"[^"\n]*"|'[^'\n]*'|`[^`]*`/g) ?? []).join("\n")

const titles = globSync(places, { cwd: root, exclude: ["**/node_modules/**"] })
  .map((file) => quoted(text(file)))
  .join("\n")

const testsLinkedIn = (text: string) => [...text.matchAll(/\]\((?:\.\.\/)*([^)#]+\.ts)/g)].map(([, path = ""]) => path)

const upTo = (count: number, list = "") => Array.from({ length: count }, (_, at) => `${list}${at + 1}`)

/** Twenty-four promises of the clients, six of our servers, six of conversations; then LoopSmith's, the editors' and the attacks. */
const expected = [
  upTo(36),
  upTo(11),
  [...upTo(27, "000."), ...upTo(36, "003."), ...upTo(26, "004."), ...upTo(7, "House ")],
  Proofs.attacks().map(([name]) => name),
]

describe.each(Proofs.pages.map((page, at) => ({ ...page, expected: expected[at] })))("the rows of $page", (page) => {
  it("stand there once each, in order", () => {
    assert.deepStrictEqual(page.rows, page.expected)
    assert.strictEqual(new Set(page.rows).size, page.rows.length)
  })

  it("are all that tests cite", () => {
    assert.deepStrictEqual(
      page.citedIn(titles).filter((row) => !page.rows.includes(row)),
      [],
    )
  })
})

describe("a row", () => {
  const page = { page: "page.md", rows: ["1", "2", "3", "4"], citedIn: Proofs.pages[0]?.citedIn ?? (() => []) }
  const ran = (...tests: ReadonlyArray<readonly [FileReport["tests"][number]["state"], string]>) => ({
    unhandled: 0,
    files: [{ file: "a.test.ts", passes: true, tests: tests.map(([state, title]) => ({ title, state, millis: 0 })) }],
  })

  it("is proven by a test that ran and passed in any run, not by one that was skipped or failed (editors 003.19)", () => {
    const first = ran(
      ["passed", "ends (promises 1 and 5)"],
      ["skipped", "in Blender (promise 2)"],
      ["failed", "(promise 3)"],
    )
    const unproven = (...reports: ReadonlyArray<ReturnType<typeof ran>>) =>
      Proofs.unproven(reports, [page]).map(({ isSkipped, line }) => [line, isSkipped])
    const [two, three, four] = [2, 3, 4].map((row) => [`page.md, ${row}: no test passed`, row === 2])
    assert.deepStrictEqual(unproven(first), [two, three, four])
    assert.deepStrictEqual(unproven(first, ran(["passed", "again (promise 3)"])), [two, four])
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
    const names = Proofs.attacks().map(([name, row]) => {
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
