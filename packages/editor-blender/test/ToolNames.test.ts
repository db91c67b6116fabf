/** The names by which clients are listed the tools of Blender, and call them. */
import { assert, describe, it } from "@effect/vitest"
import * as ToolNames from "@zain/editor-link/domain/ToolNames"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { tool } from "../../editor-link/testing/domain/Setting.ts"
import * as Editors from "../../editor-link/testing/Editors.ts"
import { blender } from "../src/BlenderProfile.ts"
import { blenderTools } from "../src/BlenderTools.ts"
import * as FakeBlender from "../src/fake/FakeBlender.ts"

const nowhere = [{ host: "127.0.0.1", port: 1 }]
const dotted = blenderTools.map(({ name }) => name)
const plain = dotted.map((name) => name.replace(".", "_"))

describe("blender: the names of its tools", () => {
  test.live.each([
    { name: "claude-ai", version: "0.1.0", expected: plain },
    { name: "any other client", version: "1", expected: plain },
    { name: "my claude-code", version: "2.1.332", expected: plain },
    { name: "claude-code", version: "2.1.328", expected: plain },
    { name: "claude-code", version: "2.1.332", expected: dotted },
    { name: "codex-mcp-client", version: "0.73.0", expected: plain },
    { name: "codex-mcp-client", version: "0.171.0", expected: dotted },
  ])("are what $name $version accepts (editors 003.31)", function* ({ name, version, expected }) {
    const server = yield* Editors.server(blender, nowhere)
    const { names } = yield* Editors.client(server, name, Editors.inMemory, version)
    assert.deepStrictEqual(yield* names, expected)
  })

  test.live("are those of --tool-names for every client (editors 003.31)", function* () {
    for (const [toolNames, expected] of [
      ["dots", dotted],
      ["underscores", plain],
    ] as const) {
      const server = yield* Editors.server(blender, nowhere, { toolNames })
      for (const name of ["claude-ai", "claude-code"]) {
        const { names } = yield* Editors.client(server, name, Editors.inMemory, "2.1.332")
        assert.deepStrictEqual(yield* names, expected)
      }
    }
  })

  test.live.each(["claude-ai", "claude-code"])("both work in calls of %s (editors 003.31)", function* (client) {
    const { port, token } = yield* FakeBlender.start()
    const server = yield* Editors.server(blender, [{ host: "127.0.0.1", port, token }])
    const { call } = yield* Editors.client(server, client, Editors.inMemory, "2.1.332")
    for (const name of ["command.apply", "command_apply"]) {
      const done = yield* call(name, { steps: [{ world: { strength: 1 } }] })
      assert.notStrictEqual(done.isError, true)
      const failed = yield* call(name, {})
      assert.match(Editors.textOf(failed), /^command_apply: /)
    }
  })

  test.live("have no dots in texts for models (editors 003.31)", function* () {
    const { port, token } = yield* FakeBlender.start()
    const server = yield* Editors.server(blender, [{ host: "127.0.0.1", port, token }])
    const { call, sdk } = yield* Editors.client(server)
    const unclear = yield* call("command_executeNatural", { command: "make it dramatic" })
    assert.include(JSON.stringify(Editors.errorOf(unclear)), "command_apply")
    const texts: Array<unknown> = [unclear, yield* call("command.aply", {}), sdk.getInstructions()]
    const prompts = { runCommand: ["command"], createObject: ["primitive"], modifyObject: ["object", "change"] }
    for (const [name, parameters] of Object.entries(prompts)) {
      for (const language of ["ja", "en"]) {
        const given = { language, ...Object.fromEntries(parameters.map((one) => [one, "x"])) }
        texts.push(yield* Effect.promise(() => sdk.getPrompt({ name, arguments: given })))
      }
    }
    for (const name of dotted) assert.notInclude(JSON.stringify(texts), name)
  })
})

describe("a name without dots that another tool has", () => {
  it("means that other tool, and is listed once", () => {
    const tools = ["a.b", "a_b", "c.d"].map((name) => tool(name))
    assert.deepStrictEqual(
      ToolNames.withoutDots(tools, tools).map(({ name }) => name),
      ["a_b", "c_d"],
    )
    assert.deepStrictEqual(ToolNames.withoutDots(tools.slice(0, 1), tools), [])
    assert.deepStrictEqual(
      ["a.b", "a_b", "c_d"].map((name) => ToolNames.find(tools, name)?.name),
      ["a.b", "a_b", "c.d"],
    )
  })
})
