/**
 * A server that runs no Python code of clients, before a bridge that would.
 */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as Editors from "../../editor-link/testing/Editors.ts"
import { withoutCode } from "../src/BlenderProfile.ts"
import * as FakeBlender from "../src/fake/FakeBlender.ts"

const fake = Effect.gen(function* () {
  const editor = yield* FakeBlender.start()
  const methods = () =>
    editor.seen.flatMap((seen) => (seen._tag === "Frame" ? [(seen.value as { readonly method: string }).method] : []))
  return { target: { host: "127.0.0.1", port: editor.port, token: editor.token }, methods }
})

describe("blender with --code off", () => {
  test.live(
    "does not list command_executeRaw, and refuses a call of it that the bridge never receives (editors 003.24)",
    function* () {
      const { methods, target } = yield* fake
      const { call, names, sdk } = yield* Editors.client(yield* Editors.server(withoutCode, [target]))
      assert.notInclude(JSON.stringify(yield* names), "executeRaw")
      const refused = yield* call("command.executeRaw", { pythonCode: "1" })
      assert.deepInclude(Editors.errorOf(refused), { code: "PERMISSION_DENIED", retryable: false })
      assert.match(Editors.textOf(refused), /--code off.*command_apply/)
      assert.notStrictEqual((yield* call("command.apply", { steps: [{ world: { strength: 1 } }] })).isError, true)
      assert.notInclude(methods(), "code.run")
      for (const language of ["ja", "en"]) {
        const prompt = { name: "runCommand", arguments: { command: "x", language } }
        const { messages } = yield* Effect.promise(() => sdk.getPrompt(prompt))
        assert.notInclude(JSON.stringify(messages), "executeRaw")
      }
    },
  )
})
