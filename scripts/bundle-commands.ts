/**
 * Before the tests: bundles the commands that they start. A bundle starts in a fifth of the time of its sources.
 */
import { execFile } from "node:child_process"
import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("..", import.meta.url))

/** A command of each package that has one: the last file that its build writes. */
const commands = globSync("packages/*/src/server/zain-*-mcp.ts", { cwd: root })
  .map((source) => source.replace("/src/server/", "/bin/").replace(/ts$/, "js"))
  .concat("packages/cli/dist/zain.js", "packages/loopsmith/bin/loopsmith.js")
  .concat("packages/editor-server/dist/zain-editor-mcp.js", "packages/agents/dist/index.js")

/** What every bundle is made of beside its packages. */
const shared = ["scripts/{Bundles,Notices}.ts", "pnpm-lock.yaml"]

/** In a package. Not Python's caches, which the tests write. */
const sources = ["{src,prompts}/**/*.*", "bridge/zain_bridge/*.*", "package.json", "tsup.config.ts"]

/** The folder of a package, and those of all packages of this workspace that it depends on, also indirectly. */
const closure = (folder: string, found = new Set<string>()): Set<string> => {
  if (found.has(folder) || !existsSync(join(root, folder))) return found
  found.add(folder)
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    if (name.startsWith("@zain/")) closure(name.replace("@zain", "packages"), found)
  }
  return found
}

const changed = (path: string) => statSync(join(root, path)).mtimeMs
const newest = (...patterns: ReadonlyArray<string>) => Math.max(...globSync(patterns, { cwd: root }).map(changed))

/** Bundles each package whose command is older than a source of what it depends on. */
export const setup = async (): Promise<void> => {
  const always = newest(...shared)
  const byFolder = new Map<string, number>()
  const of = (folder: string) => {
    const time = byFolder.get(folder) ?? newest(...sources.map((source) => `${folder}/${source}`))
    byFolder.set(folder, time)
    return time
  }
  const stale = commands.filter((command) => {
    if (!existsSync(join(root, command))) return true
    return changed(command) < Math.max(always, ...[...closure(join(command, "../.."))].map(of))
  })
  const bundle = (command: string) =>
    promisify(execFile)(join(root, "node_modules/.bin/tsup"), ["--silent"], { cwd: join(root, command, "../..") })
  await Promise.all(stale.map(bundle))
}
