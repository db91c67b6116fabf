import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import * as Effect from "effect/Effect"
import * as WorkingDirectory from "../src/WorkingDirectory.ts"

const long = "あ".repeat(80)

/** A directory with a `file`, a directory `deep` whose path is long, and links that lead to no directory. */
const place = Effect.map(directory, (home) => {
  const deep = join(home, long, long)
  mkdirSync(deep, { recursive: true })
  for (const path of [join(home, "file"), join(deep, "file")]) writeFileSync(path, "")
  for (const [to, name] of Object.entries({ loop: "loop", none: "dangling", "file/x": "into-file", file: "to-file" }))
    symlinkSync(to, join(home, name))
  return home
})

const set = "et `cwd` to an existing directory."
const missing = `does not exist. Create it, or s${set}`

describe("the problem of a working directory", () => {
  it.live.each<readonly [string, string, string | undefined]>([
    ["none for a directory", ".", undefined],
    ["that it does not exist", "none/src", missing],
    ["that it is a file", "file", `is not a directory. S${set}`],
    ["the file above it", "file/src/main", `cannot exist: HOME/file is a file. S${set}`],
    ["the file that its path leads through", "file/..//src", `cannot exist: HOME/file is a file. S${set}`],
    [
      "no name that would leave no place for the remedy",
      `${long}/${long}/file/src`,
      `cannot exist: a part of it is a file. S${set}`,
    ],
    ["that it is a file, with a slash", "file/", `is not a directory. S${set}`],
    ["that it is a link to a file", "to-file/", `is not a directory. S${set}`],
    ["that it is a link to nothing", "dangling", `is a link to no directory. S${set}`],
    ["that it is a link to a path below a file", "into-file", `is a link to no directory. S${set}`],
    ["the system's code for a loop of links", "loop", `cannot be used (ELOOP). S${set}`],
    ["the system's code for a name that is too long", "n".repeat(300), `cannot be used (ENAMETOOLONG). S${set}`],
  ])("is %s", ([, path, expected]) =>
    Effect.map(place, (home) => {
      const problem = (of: string) => WorkingDirectory.problem(`${of}/${path}`)?.replace(home, "HOME")
      assert.deepStrictEqual([problem(home), problem(relative(process.cwd(), home))], [expected, expected])
    }),
  )

  it.live("is that it may not be entered, unless the user may enter everything", () =>
    Effect.map(place, (home) => {
      const locked = join(home, "locked")
      mkdirSync(locked, { mode: 0 })
      const problem = WorkingDirectory.problem(locked, "`it`")
      // Its owner removes it.
      chmodSync(locked, 0o700)
      const mayAll = process.getuid?.() === 0
      assert.strictEqual(
        problem,
        mayAll ? undefined : "may not be entered. Check its permissions, or set `it` to an existing directory.",
      )
    }),
  )

  it("is none for an empty path, the host's own", () => {
    assert.isUndefined(WorkingDirectory.problem(""))
  })
})
