/**
 * Pages for the tests of the harness of snippets, and what it finds on them.
 */

import * as PageRun from "../../docs/snippets/PageRun.ts"
import * as Pages from "../../docs/snippets/Pages.ts"
import * as PageTests from "../../docs/snippets/PageTests.ts"
import * as Snippet from "../../docs/snippets/Snippet.ts"
import * as Workspace from "../../docs/snippets/Workspace.ts"

/** A page of these blocks, each after a line of text; a block that begins with its words has them after the fence. */
export const pageOf = (...blocks: ReadonlyArray<readonly [info: string, ...lines: ReadonlyArray<string>]>) =>
  Snippet.read(
    "docs/wrong.md",
    blocks.map(([info, ...lines]) => ["", `\`\`\`${info}`, ...lines, "```"].join("\n")).join("\n"),
  )

/** What is wrong with a page: all that the harness looks for, but for links. */
export const tried = async (page: Snippet.Page) => {
  using workspace = Workspace.make(page.programs)
  const found = [
    ...page.problems,
    ...Pages.differences(page),
    ...(await Workspace.compile(workspace)),
    ...(await PageRun.run(page, workspace)),
    ...(await PageTests.run([page], workspace)),
  ]
  return found.map(({ line, message, page: of }) => `${of}:${line}: ${message}`)
}
