/**
 * Writes the page of every package that has been built: see `ApiReport.ts`.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as ApiReport from "./ApiReport.ts"
import { published } from "./Published.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

for (const each of published(root)) {
  const changed = (await ApiReport.change(root, each)) !== ""
  if (changed) writeFileSync(join(root, ApiReport.path(each)), await ApiReport.page(root, each))
  process.stdout.write(`${changed ? "written" : "as it was"}: ${ApiReport.path(each)}\n`)
}
