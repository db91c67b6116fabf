/**
 * Builds every package, and nothing of an earlier build stays: see `Outputs.ts`.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Outputs from "./Outputs.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

Outputs.remove(root)
const turbo = join(root, "node_modules/.bin/turbo")
const { status } = spawnSync(turbo, ["run", "build", ...process.argv.slice(2)], { cwd: root, stdio: "inherit" })
process.exitCode = status ?? 1
