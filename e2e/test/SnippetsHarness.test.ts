/**
 * The harness of the snippets, tried with pages that are wrong.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import * as Snippet from "../../docs/snippets/Snippet.ts"
import * as Workspace from "../../docs/snippets/Workspace.ts"
import { pageOf, tried } from "./SnippetsPage.ts"

describe("a page with a wrong snippet fails, and the message names page and line", () => {
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
    const [first, ...more] = await tried(page)
    assert.isEmpty(more)
    assert.match(first ?? "", /^docs\/wrong\.md:3: adds\n[\s\S]*expected 2 to be 3/)
  })

  it("tests that did not pass, though no test failed", async () => {
    const vitest = 'import { afterAll, beforeAll, describe, expect, it } from "vitest"'
    const used = "void [afterAll, beforeAll, describe, expect, it]"
    const passes = 'it("passes", () => {})'
    const found = await tried(
      pageOf(
        ["ts test", vitest, used, 'it.skip("skipped", () => {})'],
        ["ts test", vitest, used, passes, 'it.todo("later")'],
        ["ts test", vitest, used, 'beforeAll(() => { throw new Error("before") })', passes],
        ["ts test", vitest, used, 'afterAll(() => { throw new Error("after") })', passes],
        ["ts test", vitest, used, 'describe("none", () => {})'],
      ),
    )
    const expected = [
      /^docs\/wrong\.md:3: skipped\nwas not run/,
      /^docs\/wrong\.md:3: no test of it has passed/,
      /^docs\/wrong\.md:9: later\nwas not run/,
      /^docs\/wrong\.md:16: passes\nwas not run/,
      /^docs\/wrong\.md:16: no test of it has passed\. before/,
      /^docs\/wrong\.md:23: the file has not passed, but failed\. after/,
      /^docs\/wrong\.md:30: no test of it has passed/,
    ]
    for (const [at, pattern] of expected.entries()) assert.match(found[at] ?? "", pattern)
    assert.strictEqual(found.length, expected.length, found.join("\n\n"))
  })

  it("a rejection that no test handles, beside tests that pass", async () => {
    const page = pageOf(
      ["ts test", 'import { it } from "vitest"', 'it("passes", () => {})'],
      ["ts test", 'import { it } from "vitest"', 'it("too", () => {})', 'void Promise.reject(new Error("unheard"))'],
    )
    const [first, ...more] = await tried(page)
    assert.match(first ?? "", /^docs\/wrong\.md:8: vitest ended with the exit code 1[\s\S]*unheard/)
    assert.isEmpty(more)
  })

  it("a name among those of skipped tests that no test has", async () => {
    const page = Snippet.read(
      "docs/wrong.md",
      '<!-- skips\nthis one\nthat one\n-->\n```ts test\nimport { it } from "vitest"\n' +
        'it("passes", () => {})\nit.skip("this one", () => {})\n```\n',
    )
    assert.deepStrictEqual(await tried(page), ["docs/wrong.md:0: no test skips itself that is called: that one"])
  })

  it("a compiler that is killed, or that fails without a word", async () => {
    using workspace = Workspace.make(pageOf(["ts", "export {}"]).programs)
    for (const [code, how] of [
      ['process.kill(process.pid, "SIGKILL")', "SIGKILL"],
      ['process.stdout.write("docs/wrong.md(3,1): error TS1: Halted.\\n"); process.abort()', "SIGABRT"],
      ["process.exitCode = 1", "the exit code 1"],
    ] as const) {
      const compiler = join(workspace.directory, "compiler.cjs")
      writeFileSync(compiler, code)
      const found = await Workspace.compile(workspace, compiler)
      assert.deepStrictEqual(found.at(-1), { page: "tsc", line: 0, message: `the compiler ended with ${how}` })
    }
  })

  it("an output that is nowhere on the page, or that does not come", async () => {
    const found = await tried(
      pageOf(
        ["ts", 'console.log("one")'],
        ["ts", 'if (process.argv.length > 99) console.log("two")'],
        ["ts prints-nothing", 'process.stdout.write("three")'],
        ["ts no-box", 'console.log("four")'],
      ),
    )
    assert.deepStrictEqual(found, [
      "docs/wrong.md:14: `no-box` needs a reason after it",
      "docs/wrong.md:3: what this block prints is not in a box of `text` below it:\none\n",
      "docs/wrong.md:7: this block has words that print, but prints nothing: make it, or say `prints-nothing`",
      "docs/wrong.md:11: what this block prints is not in a box of `text` below it:\nthree",
    ])
  })

  it("a box that nobody compares: of no program, of a module, of one that is not run, of tests, behind a text", () => {
    const box = ["text", "anything"] as const
    const page = pageOf(
      box,
      ["ts file=Name.ts", "export {}"],
      box,
      ["ts no-run it is elsewhere", "export {}"],
      box,
      ["ts test", "export {}"],
      box,
      ["ts", "export {}"],
      ["sh", "ls"],
      box,
    )
    const message = "no program prints this box: put it below one that is run, or say why"
    assert.deepStrictEqual(
      page.problems,
      [2, 10, 18, 26, 38].map((line) => ({ page: "docs/wrong.md", line, message })),
    )
  })

  it("a block of another language, of none, without an end", () => {
    const { problems } = pageOf(["TS", ""], ["cts", ""], ["tsx", ""], ["ts-node", ""], ["python", ""], ["", "code"])
    assert.deepStrictEqual(
      problems.map(({ line, message }) => `${line}: ${message}`),
      [
        "2: a block of `TS` is not compiled: call it `ts`",
        "6: a block of `cts` is not compiled: call it `ts`",
        "10: a block of `tsx` is not compiled: call it `ts`",
        "14: `ts-node` is no language that blocks of these pages have",
        "18: `python` is no language that blocks of these pages have",
        "22: this block does not say its language: `text`, if it has none",
      ],
    )
    const [problem] = Snippet.read("docs/wrong.md", "```sh\nls\n").problems
    assert.strictEqual(problem?.message, "this block has no end")
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
