import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { run } from "../../packages/editor-server/testing/command/Started.ts"
import { isSkipped } from "../src/InstalledPrograms.ts"

const script = `
import bpy, sys
bpy.ops.preferences.addon_install(filepath=sys.argv[-1])
bpy.ops.preferences.addon_enable(module="zain_bridge")
import zain_bridge
started = bpy.ops.zain.start() == {"FINISHED"}
print("result", bpy.types.ZAIN_PT_bridge.bl_category, started, zain_bridge.__file__)
bpy.ops.preferences.addon_disable(module="zain_bridge")
print("panel", hasattr(bpy.types, "ZAIN_PT_bridge"))
`

describe("`zain-editor-mcp addon`", () => {
  const title = "writes an archive that Blender installs with its panel and operators (editors 003.26)"
  it.live.skipIf(isSkipped("blender", title))(title, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { exit, home } = yield* run(["addon", "zain_bridge.zip"])
        assert.strictEqual(yield* exit, 0)
        const path = join(home, "zain_bridge.zip")
        const own = { HOME: home, BLENDER_USER_RESOURCES: home, BLENDER_USER_SCRIPTS: home, XDG_RUNTIME_DIR: home }
        const args = ["-b", "--factory-startup", "--python-exit-code", "3", "--python-expr", script, "--", path]
        const env = { PATH: process.env["PATH"], ...own }
        const { status, stderr, stdout } = spawnSync("blender", args, { encoding: "utf8", env })
        assert.strictEqual(status, 0, stdout + stderr)
        assert.include(stdout, `result Zain True ${home}`)
        assert.include(stdout, "panel False")
      }),
    ),
  )
})
