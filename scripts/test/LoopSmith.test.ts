import { existsSync, globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as LoopState from "../../packages/loopsmith/src/LoopState.ts"
import * as Promises from "../Promises.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const text = (path: string) => readFileSync(`${root}/${path}`, "utf8")

/** How many rows there are in what LoopSmith was accepted by. */
const count = 11
const numbers = Array.from({ length: count }, (_, index) => index + 1)

const named = new Map(
  globSync(["packages/*/test/**/*.test.ts", "e2e/test/**/*.test.ts"], { cwd: root }).map((file) => [
    file,
    Promises.namedBy(file, text(file), Promises.loopSmithNumbersIn),
  ]),
)
const page = Promises.read(text("docs/loopsmith.md"))

describe("what LoopSmith was accepted by (docs/loopsmith.md)", () => {
  it("stands on the page, each row once, in order", () => {
    assert.deepStrictEqual(
      page.map(({ number }) => number),
      numbers,
    )
  })

  it.each(page)("row $number: a test cites it, and the page says which", ({ number, proofs }) => {
    assert.isNotEmpty(proofs)
    for (const proof of proofs) {
      assert.isTrue(existsSync(`${root}/${proof}`), `${proof} is not there.`)
      const file = `LoopSmith ${number}`
      assert.isTrue(named.get(proof)?.has(number) === true, `No title in ${proof} cites ${file}.`)
    }
  })

  it("the page draws the machine as it is", () => {
    assert.include(text("docs/loopsmith.md"), LoopState.toMermaid())
  })

  it("and says in English what the drawing says: each arrow, in order, by the names of the code", () => {
    const { edges, events, states } = LoopState
    const rows = text("docs/loopsmith.md")
      .split("\n")
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .filter(([, from = ""]) => Object.keys(states).some((state) => from.startsWith(`\`${state}\``)))
    assert.deepStrictEqual(
      rows.map(([, from, event, , to]) => [from, event, to]),
      edges.map(([from, event, to]) => [
        `\`${from}\` ${states[from]}`,
        `\`${event}\` ${events[event]}`,
        `\`${to}\` ${states[to]}`,
      ]),
    )
    assert.isTrue(rows.every(([, , , says = ""]) => /^[\x20-\x7e]+$/.test(says)))
  })

  it("no test cites a row that there is not", () => {
    const strange = [...named].flatMap(([file, found]) =>
      [...found].filter((number) => !numbers.includes(number)).map((number) => `${file}: ${number}`),
    )
    assert.deepStrictEqual(strange, [])
  })
})
