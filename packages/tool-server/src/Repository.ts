/**
 * Finds the top directories of Git repositories.
 */
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import * as Result from "effect/Result"

/**
 * Whether a directory is the top of a repository: its `.git` is a directory with `HEAD`, or a file, as in a worktree. Any
 * other `.git` is ignored, so that it does not hide the repository around it.
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
