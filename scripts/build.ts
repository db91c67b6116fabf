/**
 * Builds every package, after deleting earlier builds: turbo restores its cache beside existing files, so that deleted
 * modules would remain and be packed.
 */
import { spawnSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { published } from "./Published.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

const { tasks } = JSON.parse(readFileSync(join(root, "turbo.json"), "utf8"))
for (const output of tasks.build.outputs as ReadonlyArray<string>) {
  for (const { directory } of published(root)) {
    rmSync(join(root, directory, output.replace("/**", "")), { recursive: true, force: true, maxRetries: 5 })
  }
}
const turbo = join(root, "node_modules/.bin/turbo")
const { status } = spawnSync(turbo, ["run", "build", ...process.argv.slice(2)], { cwd: root, stdio: "inherit" })
process.exitCode = status ?? 1
