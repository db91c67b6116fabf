/**
 * Where a repository begins.
 */
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import * as Result from "effect/Result"

/**
 * Whether a directory is the top of one: its `.git` is a directory with `HEAD` in it, or a file, as in a worktree. What is
 * merely called so does not count, so that it hides no repository around it.
 *
 * @see Codex 0.169.0, Git: measured
 */
export const isTop = (directory: string): boolean => {
  const entry = join(directory, ".git")
  if (existsSync(join(entry, "HEAD"))) return true
  return Result.getOrElse(
    Result.try(() => statSync(entry).isFile()),
    () => false,
  )
}
