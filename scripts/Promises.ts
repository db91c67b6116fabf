/**
 * Which promise is named by which test. The promises themselves are in `docs/promises.md`.
 */
import { type ParserOptions, parseSync, Visitor } from "oxc-parser"

/** How many promises there are: twenty-four of the clients, six of our servers, three of conversations. */
export const count = 33

/** The numbers that a text names after a word. */
export type NumbersIn = (text: string) => ReadonlyArray<number>

const after =
  (word: string): NumbersIn =>
  (text) =>
    [...text.matchAll(new RegExp(`\\b${word}\\s+(\\d+(?:(?:\\s*,\\s*|\\s+and\\s+)\\d+)*)\\b`, "giu"))].flatMap(
      ([, list = ""]) => (list.match(/\d+/gu) ?? []).map(Number),
    )

/** "promise 7", "promises 4 and 7", "promises 1, 2 and 3". */
export const numbersIn: NumbersIn = after("promises?")

/** "LoopSmith 4": a row of what LoopSmith was accepted by, in `docs/loopsmith.md`. */
export const loopSmithNumbersIn: NumbersIn = after("LoopSmith")

/** What ends a test, or a group of tests, by its title. */
const runners: ReadonlySet<string> = new Set(["it", "test", "describe"])

const options: ParserOptions = { lang: "ts", sourceType: "module" }

/** A node of the syntax tree, as far as it is looked at. */
interface Node {
  readonly type: string
  readonly [key: string]: unknown
}

/**
 * The promises that a file names: in titles of tests and groups, in `title` of cases, and in `promises` of faults. A
 * comment names nothing, nor does any other text.
 */
export const namedBy = (file: string, source: string, numbers: NumbersIn = numbersIn): ReadonlySet<number> => {
  const found = new Set<number>()
  const addAll = (these: ReadonlyArray<number>) => {
    for (const number of these) found.add(number)
  }
  const { errors, program } = parseSync(file, source, options)
  if (errors.length > 0) throw new Error(`${file} does not parse.`)
  new Visitor({
    CallExpression: (call) => {
      const { arguments: args, callee } = call as unknown as Node
      if (runners.has(rootOf(callee as Node))) addAll(numbers(textOf((args as ReadonlyArray<Node>)[0])))
    },
    Property: (property) => {
      const { key, value } = property as unknown as { readonly key: Node; readonly value: Node }
      if (key["name"] === "title") addAll(numbers(textOf(value)))
      if (numbers === numbersIn && key["name"] === "promises" && value.type === "ArrayExpression") {
        const elements = value["elements"] as ReadonlyArray<Node | null>
        addAll(elements.map((element) => element?.["value"]).filter((number) => typeof number === "number"))
      }
    },
  }).visit(program)
  return found
}

/** The name that a call begins with: `it` of `it.live.each(…)(…)`. */
const rootOf = (node: Node): string => {
  if (node.type === "Identifier") return String(node["name"])
  const inner = node["object"] ?? node["callee"] ?? node["tag"]
  return inner === undefined ? "" : rootOf(inner as Node)
}

const textOf = (node: Node | undefined): string => {
  if (node?.type === "Literal") return String(node["value"])
  if (node?.type !== "TemplateLiteral") return ""
  const quasis = node["quasis"] as ReadonlyArray<{ readonly value: { readonly cooked: string } }>
  return quasis.map(({ value }) => value.cooked).join("")
}

/** A promise as the page says it. `proofs`: the files that it names, from the root of the repository. */
export interface Promised {
  readonly number: number
  readonly text: string
  readonly proofs: ReadonlyArray<string>
}

/** The promises of the page: headings such as "### 7. Nothing escapes", each with links to what proves it. */
export const read = (page: string): ReadonlyArray<Promised> =>
  page
    .split(/^### /mu)
    .slice(1)
    .map((section) => {
      const [heading = "", ...rest] = section.split("\n")
      const text = rest.join("\n").split(/^## /mu, 1)[0] ?? ""
      const links = [...text.matchAll(/\]\((?:\.\.\/)?([^)#]+)/gu)].map(([, path = ""]) => path)
      return {
        number: Number(/^(\d+)\. \S/u.exec(heading)?.[1]),
        text,
        proofs: links.filter((path) => path.endsWith(".ts")),
      }
    })
