/**
 * Tests the harness of the snippets with a page for each mistake, and with one without mistakes.
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Links from "../../docs/snippets/Links.ts"
import * as Page from "../../docs/snippets/Page.ts"
import * as Pages from "../../docs/snippets/Pages.ts"
import * as Programs from "../../docs/snippets/Programs.ts"
import * as Workspace from "../../docs/snippets/Workspace.ts"

const lines = (problems: ReadonlyArray<Page.Problem>) =>
  problems.map(({ line, message, page }) => `${page}:${line}: ${message}`).join("\n")

/** A page with these blocks, each after an empty line; a block starts with its words. */
const pageOf = (name: string, blocks: ReadonlyArray<string>) =>
  Page.read(`docs/${name}.md`, blocks.map((block) => `\n\`\`\`${block}\n\`\`\`\n`).join(""))

const vitest = 'ts test\nimport { describe, it } from "vitest"\nvoid [describe, it]\n'

const wrong = (
  [
    ["a type", ['ts\n\nconst four: number = "4"\nvoid four'], /:4: column 7: TS2322: Type 'string'/],
    ["an import", ['ts no-run not here\nimport { Nothing } from "@zain/core"\nNothing'], /:3: .*no exported member/],
    ["another output", ['ts\nconsole.log("one")', "text\ntwo"], /:7: .*something else.\nPage:\ntwo\n\nProgram:\none/],
    ["an exception", ['ts\nthrow new Error("thrown")'], /:3: it ended with the exit code 1[\s\S]*docs\/wrong3\.md:3:7/],
    ["an exit code", ["ts\nprocess.exitCode = 3"], /:3: it ended with the exit code 3/],
    ["a rejection", ['ts\nvoid Promise.reject(new Error("rejected"))'], /:3: it ended with [\s\S]*rejected/],
    ["an endless wait", ["ts\nawait new Promise(() => {})"], /:3: it ended with the exit code 13/],
    ["an output without a block", ['ts\nconsole.log("one")'], /:3: what this block prints is not in a block/],
    ["a missing output", ['ts\nif (process.argv.length > 99) console.log("")'], /:3: this block prints nothing/],
    ["a text of no program", ["text\nanything"], /:2: no program prints this text/],
    ["a text below a test", [`${vitest}it("a", () => {})`, "text\nb"], /:8: no program prints/],
    ["a language", ["typescript\n"], /:2: `typescript` is no language/],
    ["no language", ["\ncode"], /:2: `` is no language/],
    ["an unknown kind", ["ts norun\n"], /:2: `norun` is no kind/],
    ["no reason", ["ts no-run\n"], /:2: `no-run` is no kind/],
    ["another file", ["ts file=docs/snippets/Page.ts\n/**\n * Dreams."], /:4: this is not docs\/snippets\/Page/],
    ["no file", ["ts file=docs/snippets/Nowhere.ts\nexport {}"], /:3: there is no file docs\/snippets\/Nowhere/],
  ] as const
).map(([title, blocks, expected], at) => ({ title, page: pageOf(`wrong${at}`, blocks), expected }))

const right = (() => {
  const agent = [
    'import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"',
    'import { McpPromiseClient, McpResult } from "@zain/core"',
    'import { name } from "./Name.ts"',
    "await using codex = await McpPromiseClient.make(CodexMcpClientAdapter.make())",
    "const session = await codex.openSession(CodexTransportFactory.local())",
    "if (McpResult.isFailure(session)) throw session.failure",
    'const answer = await codex.execute(session.success, "My name is " + name)',
    "if (McpResult.isSuccess(answer)) console.log(session.success, answer.success.content)",
  ]
  const list = [
    "- in a list:",
    "  ```ts",
    ...agent.map((line) => `  ${line}`),
    "  ```",
    "",
    "  ```text",
    "  …-… Hello, Zain.",
    "  ```",
  ]
  const module = ["```ts file=Name.ts", 'export const name = "Zain"', "```"]
  const excused = ["<!-- text a drawing -->", "```text", "a -> b", "```"]
  const model = ["<!-- model", "My name is (\\w+) => Hello, $1.", "-->"]
  return Page.read("docs/right.md", [...model, ...module, ...list, ...excused].join("\n"))
})()

describe("the harness", () => {
  let workspace: Workspace.Workspace
  let compiled: ReadonlyArray<Page.Problem>
  beforeAll(async () => {
    workspace = Workspace.make([...wrong.map(({ page }) => page), right].flatMap(({ programs }) => programs))
    compiled = await Workspace.compile(workspace)
  })
  afterAll(() => workspace[Symbol.dispose]())

  const tried = async (page: Page.Page) =>
    lines([
      ...page.problems,
      ...Pages.differences(page),
      ...compiled.filter((problem) => problem.page === page.page),
      ...(await Programs.run(page, workspace)),
    ])

  it.each(wrong)("fails a page with a mistake, and names page and line: $title", async ({ expected, page }) => {
    assert.match(await tried(page), expected)
  })

  it("passes a page without a mistake: modules, lists, gaps, excuses, and an agent whose model is on the page", async () => {
    assert.strictEqual(await tried(right), "")
  })
})

describe("the tests of pages fail with", () => {
  it.each([
    [
      "a failed test, or none",
      [`${vitest}it("adds", () => { throw new Error("3") })`, `${vitest}describe("none", () => {})`],
      [
        /^vitest:0: it ended with the exit code 1[\s\S]*adds[\s\S]*Error: 3[\s\S]*docs\/wrong\.md\/L3\.test\.ts:5:/,
        /No test found in suite/,
      ],
    ],
    [
      "an unhandled rejection beside tests that pass",
      [`${vitest}it("a", () => {})\nvoid Promise.reject(new Error("unheard"))`],
      [/^vitest:0: it ended with the exit code 1[\s\S]*unheard/],
    ],
  ] as const)("%s", async (_, blocks, expected) => {
    using workspace = Workspace.make(pageOf("wrong", blocks).programs)
    const found = lines(await Workspace.test(workspace))
    for (const one of expected) assert.match(found, one)
  })
})

it("a block without an end is reported, and a link to no file or no heading", () => {
  const text =
    '# Here\n[a](#here) [b](#there) `[x](y)` [c](none.md "title") [d](<none 2.md>)\n[e](README.md#zain) [f][g]\n```ts\n'
  const page = Page.read("CONTRIBUTING.md", text)
  assert.deepStrictEqual(
    [...page.problems, ...Links.broken(page)].map(({ line, message }) => `${line}: ${message}`),
    [
      "4: this block has no end",
      "2: #there leads to no heading",
      "2: none.md leads to no file",
      "2: none 2.md leads to no file",
      "3: write [f][g] as [text](target)",
    ],
  )
})

it("an example in a docstring is reported with its file and line", () => {
  const code = ["/**", " * Adds.", " *", " * ```ts", " * const sum = 1 + 1", " * ```", " */", "export const one = 1"]
  const [example] = Pages.examples("packages/core/src/Sum.ts", code.join("\n"))
  assert.deepInclude(example, { kind: "compile", line: 5, code: "const sum = 1 + 1\n" })
})
