import { existsSync, globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Promises from "../Promises.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const text = (path: string) => readFileSync(`${root}/${path}`, "utf8")

const places = [
  "packages/*/test",
  "contract-tests/test",
  "contract-tests/runs/test",
  "contract-tests/src/cases",
  "contract-tests/src/faults",
]
const sources = globSync(
  [...places, "e2e/test", "scripts/test"].map((place) => `${place}/**/*.ts`),
  { cwd: root },
)
const isTest = (file: string) => file.endsWith(".test.ts") || file.startsWith("contract-tests/src/")

/** Which files name which promise. This one names none of them. */
const named = new Map(
  sources
    .filter((file) => isTest(file) && !file.startsWith("scripts/test/Promises"))
    .map((file) => [file, Promises.namedBy(file, text(file))]),
)
const decided = new Set(
  globSync("docs/decisions/*.md", { cwd: root }).flatMap((page) => Promises.numbersIn(text(page))),
)
const numbers = Array.from({ length: Promises.count }, (_, index) => index + 1)
const page = Promises.read(text("docs/promises.md"))

describe("what a file names", () => {
  it.each([
    ["it('x (promise 7)', f)", [7]],
    ["it.live.each([1])(`x (promises 4 and 7)`, f)", [4, 7]],
    ["describe.concurrent('x (design 4; Promises 1, 2 and 13)', f)", [1, 2, 13]],
    ["const a = { title: 'x (promise 5)', promises: [8, 9] }", [5, 8, 9]],
    ["// it('x (promise 7)', f)", []],
    ["run('x (promise 7)')", []],
    ["it('x', () => say('promise 7'))", []],
    ["it('x promises 7up')", []],
    ["const a = { promises: '7' }", []],
  ])("%s", (source, due) => {
    assert.deepStrictEqual([...Promises.namedBy("x.ts", source)], due)
  })
})

describe("what the page says", () => {
  it("is read by its headings, and the files that it links", () => {
    const section =
      "### 3. At most once\n\nA prompt. Proven in [a](../a/B.test.ts) and [docs](errors.md).\n\n## Next\n[c](../c.ts)\n"
    assert.deepStrictEqual(
      Promises.read(`# Title\n\n${section}`).map(({ number, proofs }) => ({ number, proofs })),
      [{ number: 3, proofs: ["a/B.test.ts"] }],
    )
  })

  it("is every promise, once, in order", () => {
    assert.deepStrictEqual(
      page.map(({ number }) => number),
      numbers,
    )
  })
})

describe("every promise is proven, or a decision says what holds instead", () => {
  it.each(numbers)("number %i", (number) => {
    const tests = [...named].filter(([, found]) => found.has(number)).map(([file]) => file)
    assert.isTrue(tests.length > 0 || decided.has(number), `Neither a test nor a decision names promise ${number}.`)
  })

  it.each(page)("where the page says: number $number", ({ number, proofs }) => {
    assert.isTrue(proofs.length > 0 || decided.has(number), "The page says of no test that it proves this.")
    for (const proof of proofs) {
      assert.isTrue(existsSync(`${root}/${proof}`), `${proof} is not there.`)
      assert.isTrue(named.get(proof)?.has(number) === true, `${proof} does not name promise ${number} in a title.`)
    }
  })
})

it("no test names a promise that there is not", () => {
  const strange = [...named].flatMap(([file, found]) =>
    [...found].filter((number) => !numbers.includes(number)).map((number) => `${file}: ${number}`),
  )
  assert.deepStrictEqual(strange, [])
})
