/**
 * The harness of the snippets, tried with pages that are wrong.
 */
import { assert, describe, it } from "vitest"
import * as Links from "../../docs/snippets/Links.ts"
import * as PageRun from "../../docs/snippets/PageRun.ts"
import * as Pages from "../../docs/snippets/Pages.ts"
import * as PageTests from "../../docs/snippets/PageTests.ts"
import * as Snippet from "../../docs/snippets/Snippet.ts"
import * as Workspace from "../../docs/snippets/Workspace.ts"

/** In milliseconds. It only ends what hangs. */
const safetyLimit = 120_000

/** A page of these blocks, each after a line of text; a block that begins with its words has them after the fence. */
const pageOf = (...blocks: ReadonlyArray<readonly [info: string, ...lines: ReadonlyArray<string>]>) =>
  Snippet.read(
    "docs/wrong.md",
    blocks.map(([info, ...lines]) => ["", `\`\`\`${info}`, ...lines, "```"].join("\n")).join("\n"),
  )

const tried = async (page: Snippet.Page) => {
  using workspace = Workspace.make(page.programs)
  const found = [
    ...page.problems,
    ...Pages.differences(page),
    ...(await Workspace.compile(workspace)),
    ...(await PageRun.run(page, workspace)),
    ...(await PageTests.run(page.programs, workspace)),
  ]
  return found.map(({ line, message, page: of }) => `${of}:${line}: ${message}`)
}

describe("a page with a wrong snippet fails, and the message names page and line", { timeout: safetyLimit }, () => {
  it("a type", async () => {
    const [first, ...more] = await tried(pageOf(["ts", "", 'const four: number = "4"', "void four"]))
    assert.match(first ?? "", /^docs\/wrong\.md:4: column 7: TS2322: Type 'string' is not assignable/)
    assert.isEmpty(more)
  })

  it("an import of something that no package exports", async () => {
    const [first] = await tried(
      pageOf(["ts no-run it would not start", 'import { Nothing } from "@zain/core"', "Nothing"]),
    )
    assert.match(first ?? "", /^docs\/wrong\.md:3: .*'"@zain\/core"' has no exported member 'Nothing'/)
  })

  it("an output, told from that of the block before", async () => {
    const page = pageOf(
      ["ts", 'console.log("one")'],
      ["text", "one"],
      ["ts continued", 'console.log("two")'],
      ["text", "three"],
    )
    const [first, ...more] = await tried(page)
    assert.strictEqual(first, "docs/wrong.md:15: the block above prints something else.\nPage:\nthree\nProgram:\ntwo\n")
    assert.isEmpty(more)
  })

  it("an exception, an exit code, a rejection that nobody handles, a wait without end", async () => {
    const found = await tried(
      pageOf(
        ["ts", 'throw new Error("thrown")'],
        ["ts", "process.exitCode = 3"],
        ["ts", "process.exit(4)"],
        ["ts", 'void Promise.reject(new Error("rejected"))'],
        ["ts", "await new Promise(() => {})"],
      ),
    )
    const expected = [
      /^docs\/wrong\.md:3: Error: thrown\n +at docs\/wrong\.md:3:7/,
      /^docs\/wrong\.md:7: it ended with the exit code 3$/,
      /^docs\/wrong\.md:11: it ended before it was done/,
      /^docs\/wrong\.md:15: Error: rejected/,
      /^docs\/wrong\.md:19: it ended before it was done: what it awaits never comes/,
    ]
    for (const [at, pattern] of expected.entries()) assert.match(found[at] ?? "", pattern)
    assert.strictEqual(found.length, expected.length)
  })

  it("a test", async () => {
    const page = pageOf(["ts test", 'import { expect, it } from "vitest"', 'it("adds", () => expect(1 + 1).toBe(3))'])
    const [first] = await tried(page)
    assert.match(first ?? "", /^docs\/wrong\.md:3: adds\n[\s\S]*expected 2 to be 3/)
  })

  it("a file of the repository that the page shows otherwise, or that is not there", async () => {
    const [first, second] = await tried(
      pageOf(
        ["ts is=docs/snippets/PageRun.ts", "/**", " * Runs the programs of a page in a dream."],
        ["ts is=docs/snippets/Nowhere.ts"],
      ),
    )
    assert.match(first ?? "", /^docs\/wrong\.md:4: this is not docs\/snippets\/PageRun\.ts, whose line 2 is:\n \* Runs/)
    assert.strictEqual(second, "docs/wrong.md:8: there is no file docs/snippets/Nowhere.ts")
  })

  it("words that nobody understands, another language's name, an excuse without a reason, nothing to go on with", async () => {
    const found = await tried(
      pageOf(["ts continued", "export {}"], ["ts norun", ""], ["typescript", ""], ["ts no-run", ""]),
    )
    assert.deepStrictEqual(found, [
      "docs/wrong.md:2: there is no program before it that it could go on with",
      "docs/wrong.md:6: `norun` is no word for a block of `ts`",
      "docs/wrong.md:10: a block of `typescript` is not compiled: call it `ts`",
      "docs/wrong.md:14: `no-run` needs a reason after it",
    ])
  })
})

it("a link that leads to no file or no heading is told with page and line", () => {
  const text =
    "# Here\n\n[a](#here) [b](#there) [c](docs/nowhere.md)\n\n```sh\n[d](none.md)\n```\n[e](README.md#zain)\n"
  const found = Links.broken({ page: "CONTRIBUTING.md", text })
  assert.deepStrictEqual(found, [
    { page: "CONTRIBUTING.md", line: 3, message: "#there leads to no heading" },
    { page: "CONTRIBUTING.md", line: 3, message: "docs/nowhere.md leads to no file" },
  ])
})

describe("a page that is right passes", { timeout: safetyLimit }, () => {
  it("modules, programs in several blocks, their outputs with gaps, and an agent whose model is on the page", async () => {
    const page = Snippet.read(
      "docs/right.md",
      [
        "<!-- model",
        "My name is (\\w+) => Hello, $1.",
        "-->",
        "```ts file=Name.ts",
        'export const name = "Zain"',
        "```",
        "```ts",
        'import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"',
        'import { McpPromiseClient, McpResult } from "@zain/core"',
        'import { name } from "./Name.ts"',
        "",
        "await using codex = await McpPromiseClient.make(CodexMcpClientAdapter.make())",
        "const session = await codex.openSession(CodexTransportFactory.local())",
        "if (McpResult.isFailure(session)) throw session.failure",
        "console.log(session.success)",
        "```",
        "```text",
        "…-…",
        "```",
        "- in a list:",
        "  ```ts continued",
        '  const answer = await codex.execute(session.success, "My name is " + name)',
        "  if (McpResult.isSuccess(answer)) console.log(answer.success.content)",
        "  ```",
        "",
        "  ```text",
        "  Hello, Zain.",
        "  ```",
      ].join("\n"),
    )
    assert.isEmpty((await tried(page)).join("\n"))
  })

  it("an example in a docstring is found where it stands", () => {
    const code = ["/**", " * Adds.", " *", " * ```ts", " * const sum = 1 + 1", " * ```", " */", "export const one = 1"]
    const [example] = Pages.examples("packages/core/src/Sum.ts", code.join("\n"))
    assert.strictEqual(example?.use, "compile")
    assert.strictEqual(
      Snippet.source({ blocks: example?.blocks ?? [] })
        .split("\n")[4]
        ?.trim(),
      "const sum = 1 + 1",
    )
  })
})
