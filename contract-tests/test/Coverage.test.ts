import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as ContractSubject from "../src/ContractSubject.ts"
import * as McpClientContractSuite from "../src/McpClientContractSuite.ts"
import * as Requirements from "../src/Requirements.ts"

const { cases, needed } = McpClientContractSuite
const cited = new Set(cases.flatMap(({ verifies }) => verifies))

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")
const headings = (page: string) =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) =>
    text
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  )

/** Whether a source is a row of the seed, a promise, a decision, or a heading of the docs. */
const exists = (source: string) => {
  const [page = "", anchor] = source.split("#")
  if (page.startsWith("docs/")) return anchor === undefined ? read(page) !== "" : headings(page).includes(anchor)
  return /^(?:seed \d\.\d|promises? \d+(?:, \d+)*(?: and \d+)?|decision \d+)$/.test(source)
}

describe("every requirement", () => {
  it.each(Requirements.ids)("%s is cited by a case, or names the test elsewhere that proves it", (id) => {
    const { behaviour, provenElsewhere, source } = Requirements.get(id)
    expect(behaviour).toMatch(/\.$/)
    for (const part of source.split("; ")) expect(exists(part), part).toBe(true)
    expect(cited.has(id)).toBe(provenElsewhere === undefined)
    if (provenElsewhere === undefined) return
    const [file = "", title = ""] = provenElsewhere.split(": ")
    expect(read(file)).toContain(`("${title}"`)
  })

  it.each(Requirements.ids)("%s says what a client MUST do", (id) => {
    expect(Requirements.get(id).behaviour).toMatch(/\bMUST\b/)
  })

  it("of the seed is listed", () => {
    const rows = { 1: 6, 2: 4, 3: 4, 4: 4, 5: 4, 6: 2 }
    const ids = Object.entries(rows).flatMap(([group, count]) =>
      Array.from({ length: count }, (_, index) => `${group}.${index + 1}`),
    )
    expect(Requirements.ids.filter((id) => /^\d/.test(id))).toEqual(ids)
  })

  it("of the port's nine rules is listed", () => {
    const rules = new Set(Requirements.ids.flatMap((id) => /^rule-(\d)\./.exec(id)?.[1] ?? []))
    expect([...rules].map(Number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })
})

describe("every case", () => {
  it("has an id of its own", () => {
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length)
  })

  it.each(cases)("$id has a title that says what a client MUST do", ({ title }) => {
    expect(title).toMatch(/\bMUST\b/)
  })

  it.each(cases)(
    "$id cites existing requirements, each once, and needs existing capabilities",
    ({ needs, verifies }) => {
      expect(verifies.length).toBeGreaterThan(0)
      expect(new Set(verifies).size).toBe(verifies.length)
      for (const id of verifies) expect(Requirements.ids).toContain(id)
      for (const capability of needs ?? []) expect(Object.keys(ContractSubject.capabilities)).toContain(capability)
    },
  )
})

it("every capability is needed by a case", () => {
  expect([...needed].sort()).toEqual(Object.keys(ContractSubject.capabilities).sort())
})

it("`Requirements.of` returns a provider's own rows, and for a third party those that name no provider", () => {
  const { provider: one = "" } = Requirements.get("2.1")
  const { provider: other = "" } = Requirements.get("3.1")
  expect(Requirements.of(one)).toContain("2.1")
  expect(Requirements.of(one)).not.toContain("3.1")
  expect(Requirements.of(other)).toContain("6.2")
  expect(Requirements.of("parrot").some((id) => /^[236]/.test(id))).toBe(false)
  expect(Requirements.of("parrot")).not.toContain("rule-8.crash")
})
