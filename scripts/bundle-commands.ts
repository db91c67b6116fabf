/**
 * Before the tests: bundles the commands that they start. A bundle starts in a fifth of the time of its sources.
 */
import { execFile } from "node:child_process"
import { existsSync, globSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("..", import.meta.url))

/** A package, and a command of its own: the last file that its build writes. */
const commands = {
  "packages/claude-code-client": "bin/zain-claude-code-mcp.js",
  "packages/cli": "dist/zain.js",
  "packages/codex-client": "bin/zain-codex-mcp.js",
  "packages/loopsmith": "bin/loopsmith.js",
}

const sources = [
  "packages/*/{src,prompts}/**/*.*",
  "packages/*/{package.json,tsup.config.ts}",
  "scripts/{Bundles,Notices}.ts",
]

const changed = (path: string) => statSync(join(root, path)).mtimeMs

/** Bundles each package whose command is older than any source of any package. */
export const setup = async (): Promise<void> => {
  const newest = Math.max(...globSync([...sources, "pnpm-lock.yaml"], { cwd: root }).map(changed))
  const stale = Object.entries(commands).filter(([place, command]) => {
    const file = join(place, command)
    return !existsSync(join(root, file)) || changed(file) < newest
  })
  const bundle = (place: string) =>
    promisify(execFile)(join(root, "node_modules/.bin/tsup"), ["--silent"], { cwd: join(root, place) })
  await Promise.all(stale.map(([place]) => bundle(place)))
}
