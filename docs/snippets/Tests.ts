/**
 * Runs the files of tests that stand on pages, all of them by one vitest.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Problem } from "./Page.ts"
import { root } from "./Pages.ts"
import { node, type Workspace } from "./Workspace.ts"

const conditions = JSON.stringify(["zain-source", "node", "import", "default"])
const config = `export default {
  resolve: { conditions: ${conditions} },
  ssr: { resolve: { conditions: ${conditions} } },
  test: { include: ["**/L*.test.ts"], testTimeout: 240_000, maxWorkers: 2 },
}
`

/** What is wrong with the tests on the pages of a workspace: vitest must end well. A case says by itself why it is skipped. */
export const run = async ({ directory, onPages }: Workspace): Promise<ReadonlyArray<Problem>> => {
  writeFileSync(join(directory, "vitest.config.mjs"), config)
  const vitest = join(root, "docs/node_modules/vitest/vitest.mjs")
  const { how, said } = await node([vitest, "run", "--root", directory], directory)
  return how === undefined ? [] : [{ page: "vitest", line: 0, message: `${how}\n${onPages(said)}` }]
}
