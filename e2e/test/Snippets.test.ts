/**
 * What the pages say is what the code does: every program on them is compiled, run, and held to the output beside it.
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Links from "../../docs/snippets/Links.ts"
import * as PageRun from "../../docs/snippets/PageRun.ts"
import * as Pages from "../../docs/snippets/Pages.ts"
import * as PageTests from "../../docs/snippets/PageTests.ts"
import type { Problem } from "../../docs/snippets/Snippet.ts"
import * as Workspace from "../../docs/snippets/Workspace.ts"

const pages = Pages.all()
const programs = pages.flatMap((page) => page.programs)
const runnable = pages.filter((page) => page.programs.some(({ use }) => use === "run"))
const docstrings = Pages.docstrings()

const none = (problems: ReadonlyArray<Problem>) =>
  assert.isEmpty(problems.map(({ line, message, page }) => `${page}:${line}: ${message}`).join("\n\n"))

describe("the snippets of all pages and docstrings", () => {
  let workspace: Workspace.Workspace
  beforeAll(() => {
    workspace = Workspace.make([...programs, ...docstrings])
  })
  afterAll(() => workspace[Symbol.dispose]())

  it("are found, and no block is marked in a way that nobody understands", () => {
    assert.isAbove(runnable.length, 5)
    assert.isAbove(docstrings.length, 30)
    none(pages.flatMap(({ problems }) => problems))
  })

  it("are files of the repository to the letter, where the page says that they are", () => {
    assert.isNotEmpty(pages.flatMap(({ copies }) => copies))
    none(pages.flatMap(Pages.differences))
  })

  it("stand on pages whose links lead somewhere", () => {
    none(pages.flatMap(Links.broken))
  })

  it("stand on pages that the table of contents leads to", () => {
    const contents = pages.find(({ page }) => page === "docs/README.md")
    const missing = pages.flatMap(({ page }) => {
      const [, name] = /^docs\/([\w-]+\.md)$/.exec(page) ?? []
      return name === undefined || name === "README.md" || contents?.text.includes(`](${name})`) === true ? [] : [page]
    })
    assert.isEmpty(missing)
  })

  it("compile as a user's programs do, all by one compiler", async () => {
    none(await Workspace.compile(workspace))
  })

  it("are files of tests that pass, where they are files of tests", async () => {
    none(await PageTests.run(pages, workspace))
  })

  it("are not run, or not compared, only where the page says why", () => {
    for (const { line, page, what, why } of pages.flatMap(({ excuses }) => excuses)) {
      process.stdout.write(`${page}:${line} ${what}: ${why}\n`)
    }
  })

  describe.concurrent("run to their end and print what their page says", () => {
    it.each(runnable)("$page", async (page) => {
      none(await PageRun.run(page, workspace))
    })
  })
})
