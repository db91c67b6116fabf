import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Repository from "../src/Repository.ts"

describe("the top of a repository", () => {
  it("has a .git with HEAD in it, or one that is a file; a directory that is only called so does not count", () => {
    const top = mkdtempSync(join(tmpdir(), "zain-test-"))
    try {
      assert.isFalse(Repository.isTop(top))
      mkdirSync(join(top, ".git"))
      assert.isFalse(Repository.isTop(top))
      writeFileSync(join(top, ".git/HEAD"), "ref: refs/heads/main\n")
      assert.isTrue(Repository.isTop(top))
      rmSync(join(top, ".git"), { recursive: true })
      writeFileSync(join(top, ".git"), "gitdir: /srv/project/.git/worktrees/one\n")
      assert.isTrue(Repository.isTop(top))
    } finally {
      rmSync(top, { recursive: true })
    }
  })
})
