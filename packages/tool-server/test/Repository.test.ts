import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import * as Repository from "../src/Repository.ts"

describe("the top of a repository", () => {
  test("has a .git directory with HEAD, or a .git file; any other .git is ignored", function* () {
    const top = yield* directory
    assert.isFalse(Repository.isTop(top))
    mkdirSync(join(top, ".git"))
    assert.isFalse(Repository.isTop(top))
    writeFileSync(join(top, ".git/HEAD"), "ref: refs/heads/main\n")
    assert.isTrue(Repository.isTop(top))
    rmSync(join(top, ".git"), { recursive: true })
    writeFileSync(join(top, ".git"), "gitdir: /srv/project/.git/worktrees/one\n")
    assert.isTrue(Repository.isTop(top))
  })
})
