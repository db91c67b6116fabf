/** Every regular expression of the packages, on long runs of characters and of its own words. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { parseSync, Visitor } from "oxc-parser"

interface Found {
  readonly at: string
  readonly source: string
  readonly flags: string
}

const literals = (file: string): ReadonlyArray<Found> => {
  const text = readFileSync(file, "utf8")
  const found: Array<Found> = []
  new Visitor({
    Literal: (node) => {
      if (!("regex" in node)) return
      const line = text.slice(0, node.start).split("\n").length
      found.push({ at: `${file}:${line}`, source: node.regex.pattern, flags: node.regex.flags })
    },
  }).visit(parseSync(file, text).program)
  return found
}

const characters = [..." aA/\n\"'`([{<>=.-_1*?,:;#@&|%$!\\\r\tあ\u0301\u001B"]
const pairs = ["e\u0301", "a ", "/a", "a.", "a-", "a:", "a@", "a=", "a\n", "\r\n", "//", "<a"]

/** What is repeated: characters, pairs of them, and the words of the expression with what may end them. */
const parts = (source: string): ReadonlyArray<string> => {
  const words = [...new Set(source.match(/[A-Za-z0-9]{2,}/g))]
  return [...characters, ...pairs, ...words.flatMap((word) => ["", "-", " ", ".", "/", "="].map((end) => word + end))]
}

/** The least of three searches from each place of a text, in milliseconds of CPU. */
const cost = ({ flags, source }: Found, text: string): number => {
  const expression = new RegExp(source, flags.includes("y") ? flags : `${flags.replace("g", "")}g`)
  const once = () => {
    const before = process.threadCpuUsage()
    text.replace(expression, "")
    const { system, user } = process.threadCpuUsage(before)
    return (system + user) / 1_000
  }
  const first = once()
  return first < 0.3 ? first : Math.min(first, once(), once())
}

/** Work that grows with the square of a text takes a hundred times as long for ten times its length. */
const isSlow = (found: Found, part: string): boolean => {
  const texts = (length: number) => ["", "\0"].map((end) => `a${part.repeat(length / part.length)}${end}`)
  return texts(3_000).some((text) => cost(found, text) >= 0.3) && texts(30_000).some((text) => cost(found, text) > 100)
}

it("each regular expression of the packages takes time in proportion to its text (promise 24)", () => {
  const files = execFileSync("git", ["ls-files", "packages/*/src/*.ts"], { encoding: "utf8" }).trim().split("\n")
  const all = files.flatMap(literals)
  assert.isAbove(all.length, 250)
  assert.isTrue(isSlow({ at: "", source: ".*=", flags: "" }, "a"))
  const slow = all.flatMap((found) => {
    const part = parts(found.source).find((part) => isSlow(found, part))
    return part === undefined ? [] : [`${found.at} /${found.source}/${found.flags} on ${JSON.stringify(part)}`]
  })
  assert.deepStrictEqual(slow, [])
})
