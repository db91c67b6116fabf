/**
 * What changed between two texts, as people read it in a review.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * @param name what both texts are called
 * @returns nothing when they are the same
 */
export const unifiedDiff = (name: string, before: string, after: string): string => {
  if (before === after) return ""
  const directory = mkdtempSync(join(tmpdir(), "zain-diff-"))
  try {
    writeFileSync(join(directory, "before"), before)
    writeFileSync(join(directory, "after"), after)
    const args = ["diff", "--no-index", "--no-color", "--no-ext-diff", "before", "after"]
    const { error, stdout } = spawnSync("git", args, { cwd: directory, encoding: "utf8", maxBuffer: 2 ** 26 })
    if (error !== undefined) throw error
    return [`--- ${name} as committed`, `+++ ${name} as built`, stdout.slice(stdout.indexOf("\n@@") + 1)].join("\n")
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
