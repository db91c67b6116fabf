/**
 * Before the tests: bundles the commands that they start. A bundle starts in a fifth of the time of its sources.
 */
import { execFile } from "node:child_process"
import { existsSync, globSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("..", import.meta.url))

/** A command of each package that has one: the last file that its build writes. */
const commands = globSync("packages/*/src/server/zain-*-mcp.ts", { cwd: root })
  .map((source) => source.replace("/src/server/", "/bin/").replace(/ts$/, "js"))
  .concat("packages/cli/dist/zain.js", "packages/loopsmith/bin/loopsmith.js")
  .concat("packages/editor-server/dist/zain-editor-mcp.js", "packages/agents/dist/index.js")

const sources = [
  "packages/*/{src,prompts}/**/*.*",
  // Not Python's caches, which the tests write.
  "packages/*/bridge/zain_bridge/*.*",
  "packages/*/{package.json,tsup.config.ts}",
  "scripts/{Bundles,Notices}.ts",
]

const changed = (path: string) => statSync(join(root, path)).mtimeMs

/** Bundles each package whose command is older than any source of any package. */
export const setup = async (): Promise<void> => {
  const newest = Math.max(...globSync([...sources, "pnpm-lock.yaml"], { cwd: root }).map(changed))
  const stale = commands.filter((command) => !existsSync(join(root, command)) || changed(command) < newest)
  const bundle = (command: string) =>
    promisify(execFile)(join(root, "node_modules/.bin/tsup"), ["--silent"], { cwd: join(root, command, "../..") })
  await Promise.all(stale.map(bundle))
}
