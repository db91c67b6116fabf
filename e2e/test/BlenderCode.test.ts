/**
 * Harmful and endless code in a real Blender.
 */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { begin, jsonOf } from "../../packages/editor-blender/testing/BlenderSubject.ts"
import * as Editors from "../../packages/editor-link/testing/Editors.ts"
import { isSkipped } from "../src/InstalledPrograms.ts"
import * as SharedBlender from "../src/SharedBlender.ts"

/** One of each kind: the guard's own tests in Blender have the others. */
const rows = [
  ["1/0", "EXECUTION_ERROR"],
  ["import bpy\nbpy.data.objects['Cube'].location.x = 3\n1/0", "EXECUTION_ERROR"],
  ["undefined", "EXECUTION_ERROR"],
  ["import os\nos.system('true')", "DANGEROUS_OPERATION"],
  ["raise SystemExit", "DANGEROUS_OPERATION"],
  ["import bpy\nwm = bpy.ops.wm\nwm.quit_blender()", "DANGEROUS_OPERATION"],
  ["while True: pass", "OPERATION_TIMEOUT"],
  ["def ever():\n  while True:\n    try: yield 1\n    except: pass\nfor _ in ever(): pass", "OPERATION_TIMEOUT"],
] as const

const title = "%j fails as %s, leaves the scene unchanged, and Blender continues (editors 003.12, 003.13)"

describe.skipIf(isSkipped("blender", title))("code in a real Blender", () => {
  const subject = SharedBlender.shared()

  test.live.each(rows)(title, function* ([pythonCode, code]) {
    const { call, digest } = yield* begin(subject)
    const first = yield* digest
    const failed = yield* call("command.executeRaw", { pythonCode, timeoutMs: 300 })
    assert.isTrue(failed.isError, Editors.textOf(failed))
    assert.strictEqual(Editors.errorOf(failed)["code"], code, Editors.textOf(failed))
    assert.strictEqual(yield* digest, first)
    const alive = yield* call("command.executeRaw", { pythonCode: "import bpy\nlen(bpy.data.objects)" })
    assert.strictEqual(jsonOf(alive).value, 3)
  })
})
