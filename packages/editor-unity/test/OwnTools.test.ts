import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as Editors from "../../editor-link/testing/Editors.ts"
import * as FakeUnity from "../src/fake/FakeUnity.ts"
import { unityCommand } from "../src/UnityCommand.ts"
import { unity as profile } from "../src/UnityProfile.ts"

/** Each with arguments, and what its result has. */
const own: ReadonlyArray<readonly [string, object, string]> = [
  ["code_index_build", {}, "file"],
  ["code_index_update", { paths: ["Assets/A.cs"] }, "file"],
  ["code_index_status", {}, "file"],
  ["script_read", { path: "Assets/A.cs" }, "class A"],
  ["script_search", { pattern: "Jump" }, "Assets/A.cs"],
  ["script_symbols_get", { path: "Assets/A.cs" }, "A/Jump"],
  ["script_symbol_find", { name: "Jump" }, "A/Jump"],
  ["script_refs_find", { name: "Jump" }, "Assets/A.cs"],
  ["script_packages_list", {}, "packages"],
  ["script_create_class", { path: "Assets/B.cs", className: "B" }, "class B"],
  [
    "script_edit_snippet",
    {
      path: "Assets/A.cs",
      preview: true,
      instructions: [{ operation: "replace", anchor: { type: "text", target: "void Jump() {}" }, newText: "int i;" }],
    },
    "int i;",
  ],
  [
    "script_edit_structured",
    { operation: "insert_after", path: "Assets/A.cs", symbolName: "A/Jump", newText: "int j;", preview: true },
    "int j;",
  ],
  ["script_refactor_rename", { relative: "Assets/A.cs", namePath: "A/Jump", newName: "Leap", preview: true }, "Leap"],
  ["script_remove_symbol", { path: "Assets/A.cs", namePath: "A/Jump", failOnReferences: false }, "Jump"],
  ["input_system_control", { operation: "get_state" }, ""],
  ["playmode_wait_for_state", { isPlaying: false }, "isPlaying"],
  ["search_tools", { query: "gameobject" }, "create_gameobject"],
  ["video_capture_for", { captureMode: "game", durationSec: 0.1 }, "frames"],
]

test.live(
  "each of the 18 tools that Unity does not know succeeds, and none of their names is sent (editors 004.21)",
  function* () {
    const root = yield* directory
    mkdirSync(join(root, "Assets"))
    writeFileSync(join(root, "Assets", "A.cs"), "class A { void Jump() {} void M() { Jump(); } }")
    const unity = yield* FakeUnity.start()
    const select = yield* Effect.promise(() => unityCommand.select({}, false))
    const targets = [{ host: "127.0.0.1", port: unity.port }]
    const { call } = yield* Editors.client(yield* Editors.server(profile, targets, { select, projectRoot: root }))
    assert.lengthOf(own, 18)
    for (const [name, args, words] of own) {
      const result = yield* call(name, args)
      const text = Editors.textOf(result)
      assert.notStrictEqual(result.isError, true, `${name}: ${text}`)
      assert.include(text, words, name)
      assert.isAbove(text.length, 1, name)
    }
    const sent = unity.seen.flatMap((seen) => (seen._tag === "Frame" ? [(seen.value as { type: string }).type] : []))
    for (const [name] of own) assert.notInclude(sent, name)
  },
)
