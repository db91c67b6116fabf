/**
 * Harmful and endless code in a real Blender.
 */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { begin, jsonOf } from "../../packages/editor-server/test/blender/BlenderSubject.ts"
import * as Editors from "../../packages/editor-server/test/Editors.ts"
import { isSkipped } from "../src/InstalledPrograms.ts"
import * as SharedBlender from "../src/SharedBlender.ts"

const dangerous = [
  "import os\nos.system('true')",
  "import subprocess",
  "from subprocess import run",
  "__import__('os')",
  "open('stolen.txt', 'w')",
  "eval('1')",
  "exec('x = 1')",
  "raise SystemExit",
  "getattr(bpy, 'ops')",
  "'{0.__class__}'.format(1)",
  "'{0.__init__.__globals__}'.format_map({})",
  "str.format('{0.__class__}', 1)",
  "().__class__.__bases__[0].__subclasses__()",
  "import bpy\nbpy.data.texts.new('x')",
  "import bpy\nbpy.ops.wm.quit_blender()",
  "import bpy\nwm = bpy.ops.wm\nwm.quit_blender()",
  "import bpy\nbpy.app.timers.register(print)",
  "import bpy\nbpy.app.handlers.frame_change_post.append(print)",
]

const endless = [
  "while True: pass",
  "while True:\n  try:\n    while True: pass\n  except: pass",
  "while True:\n  try:\n    while True: pass\n  except BaseException: continue",
  "while True:\n  try:\n    while True: pass\n  finally: continue",
  "def again():\n  try:\n    while True: pass\n  except: again()\nagain()",
  "def ever():\n  while True:\n    try: yield 1\n    except: pass\nfor _ in ever(): pass",
]

const failing = ["1/0", "import bpy\nbpy.data.objects['Cube'].location.x = 3\n1/0", "undefined"]

const rows = [
  ...failing.map((code) => [code, "EXECUTION_ERROR"] as const),
  ...dangerous.map((code) => [code, "DANGEROUS_OPERATION"] as const),
  ...endless.map((code) => [code, "OPERATION_TIMEOUT"] as const),
]

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
