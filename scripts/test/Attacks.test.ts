import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const text = (path: string) => readFileSync(`${root}/${path}`, "utf8")

/** The attacks that a file tries, as its titles have it: `(attack: NAME)`. */
const triedIn = (source: string) => [...source.matchAll(/\(attack: ([^():]+)\)/g)].map(([, name = ""]) => name)

const tried = new Map(
  globSync("e2e/test/attack/*.test.ts", { cwd: root }).map((file) => [file, new Set(triedIn(text(file)))]),
)
/** The rows of the page: the name of an attack, and the tests that it links. */
const rows = text("docs/security.md")
  .split("<!-- attacks -->")[1]
  ?.split("\n## ")[0]
  ?.split("\n")
  .filter((line) => line.startsWith("| ") && line.includes("](../"))
  .map((line) => ({
    name: line.split("|")[1]?.trim() ?? "",
    files: [...line.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, file = ""]) => file),
  }))

describe("the attacks of docs/security.md", () => {
  it("are those that `pnpm attack` tries, each by the tests that its row names", () => {
    assert.isDefined(rows)
    for (const { files, name } of rows) {
      assert.isNotEmpty(files, name)
      for (const file of files) assert.isTrue(tried.get(file)?.has(name), `${file} does not try: ${name}`)
    }
    assert.deepStrictEqual(
      [...new Set([...tried.values()].flatMap((names) => [...names]))].sort(),
      rows.map(({ name }) => name).sort(),
    )
  })
})
