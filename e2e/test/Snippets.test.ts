/**
 * Compiles and runs every program of the pages, and compares its output with the page.
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Links from "../../docs/snippets/Links.ts"
import type { Problem } from "../../docs/snippets/Page.ts"
import * as Pages from "../../docs/snippets/Pages.ts"
import * as Programs from "../../docs/snippets/Programs.ts"
import * as Workspace from "../../docs/snippets/Workspace.ts"

const pages = Pages.all()
const runnable = pages.filter(({ programs }) => programs.some(({ kind }) => kind === "run"))
const docstrings = Pages.docstrings()

const none = (problems: ReadonlyArray<Problem>) =>
  assert.isEmpty(problems.map(({ line, message, page }) => `${page}:${line}: ${message}`).join("\n\n"))

describe("the snippets of all pages and docstrings", () => {
  let workspace: Workspace.Workspace
  beforeAll(() => {
    workspace = Workspace.make([...pages.flatMap(({ programs }) => programs), ...docstrings])
  })
  afterAll(() => workspace[Symbol.dispose]())

  it("are found, are of a known kind, and repeat files of the repository to the letter", () => {
    assert.isAbove(runnable.length, 5)
    assert.isAbove(docstrings.length, 30)
    none(pages.flatMap((page) => [...page.problems, ...Pages.differences(page)]))
  })

  it("stand on pages whose links lead somewhere, and that the table of contents leads to", () => {
    none(pages.flatMap(Links.broken))
    const contents = pages.find(({ page }) => page === "docs/README.md")?.text ?? ""
    for (const { page } of pages) {
      const [, name = "README.md"] = /^docs\/([\w/-]+\.md)$/.exec(page) ?? []
      if (!/README|decisions\//.test(name)) assert.include(contents, `](${name})`)
    }
  })

  it("compile as programs of a user", async () => {
    none(await Workspace.compile(workspace))
  })

  it("pass, if they are files of tests", async () => {
    none(await Workspace.test(workspace))
  })

  describe.concurrent("run to their end and print what their page says", () => {
    it.each(runnable)("$page", async (page) => {
      none(await Programs.run(page, workspace))
    })
  })
})
