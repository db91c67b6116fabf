/**
 * A server that runs no Python code of clients, before a bridge that would.
 */
import { assert, describe } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { test } from "../../../core/test/Test.ts"
import * as BlenderBridge from "../../src/blender/BlenderBridge.ts"
import { withoutCode } from "../../src/blender/BlenderProfile.ts"
import * as BlenderResult from "../../src/blender/BlenderResult.ts"
import * as GraphQl from "../../src/blender/GraphQl.ts"
import * as FakeBlender from "../../src/fake/FakeBlender.ts"
import * as Carrier from "../../src/infrastructure/link/Carrier.ts"
import * as EditorLink from "../../src/infrastructure/link/EditorLink.ts"
import * as Editors from "../Editors.ts"

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

  test.live("refuses executeRaw of a GraphQL document in the same way (editors 003.24)", function* () {
    const { methods, target } = yield* fake
    const link = yield* EditorLink.make(withoutCode, {
      target,
      connect: Carrier.tcp(withoutCode, target, 2 ** 20),
      hello: { clientName: "test", isDevelopment: false, wantsProject: false },
    })
    const context = {
      send: (method: string, params: Readonly<Record<string, unknown>>) =>
        link.request(method, params, { deadline: Duration.seconds(30), isRepeatable: false }),
      progress: () => {},
      project: Effect.succeed(""),
      longTimeout: 0,
    }
    const query = 'mutation { command { executeRaw(pythonCode: "1") { success error { code } } } }'
    const { content } = yield* BlenderBridge.use(
      context,
      (services) => GraphQl.execute(services, { query }),
      (answer) => Effect.succeed(BlenderResult.make(answer)),
    )
    assert.deepStrictEqual(JSON.parse(content[0]?.type === "text" ? content[0].text : ""), {
      data: { command: { executeRaw: { success: false, error: { code: "PERMISSION_DENIED" } } } },
    })
    assert.notInclude(methods(), "code.run")
  })
})
