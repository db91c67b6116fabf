import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { placeOf, violations } from "./Arrows.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const files = globSync(["packages/*/src/**/*.ts", "contract-tests/src/**/*.ts"], { cwd: root })
const found = files.flatMap((file) => violations(placeOf(file), file, readFileSync(`${root}/${file}`, "utf8")))

for (const line of found) process.stderr.write(`${line}\n`)
process.stdout.write(`${files.length} files, ${found.length} imports against the arrow\n`)
process.exitCode = found.length === 0 && files.length > 0 ? 0 : 1
