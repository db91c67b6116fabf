import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { unzipSync } from "fflate"
import * as AddOnZip from "../src/AddOnZip.ts"

describe("the archive of the add-on", () => {
  test.live("is one folder with the modules and the manifest, the same bytes each time (editors 003.26)", function* () {
    const home = yield* directory
    const [one, other] = [join(home, "one.zip"), join(home, "other.zip")]
    yield* AddOnZip.write(one)
    yield* AddOnZip.write(other)
    const archive = readFileSync(one)
    assert.isTrue(archive.equals(readFileSync(other)))
    const names = Object.keys(unzipSync(archive))
    assert.includeMembers(names, [
      "zain_bridge/__init__.py",
      "zain_bridge/run.py",
      "zain_bridge/blender_manifest.toml",
      "zain_bridge/steps.schema.json",
    ])
    assert.deepStrictEqual(
      names.filter((name) => !/^zain_bridge\/[\w.]+\.(py|toml|json)$/.test(name)),
      [],
    )
  })

  test.live("is never written over a file, and a place that cannot be written is named", function* () {
    const home = yield* directory
    const path = join(home, "kept.zip")
    writeFileSync(path, "kept")
    const refused = yield* Effect.flip(AddOnZip.write(path))
    assert.match(refused, /kept\.zip cannot be written: it exists\. Remove it, or name another file\.$/)
    assert.strictEqual(readFileSync(path, "utf8"), "kept")
    assert.match(
      yield* Effect.flip(AddOnZip.write(join(home, "no", "such.zip"))),
      /such\.zip cannot be written: ENOENT\.$/,
    )
  })
})
