/** `zain mcp call`. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { entry } from "../../testing/doctor/FakeAgents.ts"
import * as Zain from "../../testing/doctor/Zain.ts"
import { type Home, inHome, untilEmpty } from "../../testing/run/Home.ts"
import { write } from "./McpFiles.ts"

const content = [
  { type: "text", text: "one" },
  { type: "image", data: "AA==", mimeType: "image/png" },
]
const returning = (result: object) => entry({ capabilities: { tools: {} }, lists: { "tools/call": result } })

const file = (home: Home) =>
  write(home, ".mcp.json", {
    mcpServers: {
      echo: entry({ capabilities: { tools: {} }, echoes: true, log: join(home.path, "log") }),
      picture: returning({ content }),
      wrong: returning({ content, isError: true }),
      refused: entry({ capabilities: { tools: {} } }),
      gone: { command: "/no/such/command" },
    },
  })
const call = (home: Home, ...args: ReadonlyArray<string>) => Zain.run(home, ["mcp", "call", file(home), ...args])

describe("zain mcp call", () => {
  inHome("calls a tool with the arguments, prints its text, and first what it starts", function* (home) {
    const { code, errors, output } = yield* call(home, "echo", "add", '{"a":[1,"two"]}')
    assert.deepStrictEqual(JSON.parse(output), { name: "add", arguments: { a: [1, "two"] } })
    assert.match(errors, /^echo: starting \S.*\n$/)
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(JSON.parse((yield* call(home, "echo", "add")).output).arguments, {})
    yield* untilEmpty(home)
  })

  inHome("prints the whole result with --json, and names what it does not show without", function* (home) {
    const shown = yield* call(home, "picture", "draw")
    assert.deepStrictEqual([shown.code, shown.output], [0, "one\n"])
    assert.include(shown.errors, "Not shown: image. --json prints it.")
    const { output } = yield* call(home, "picture", "draw", "--json")
    assert.deepStrictEqual(JSON.parse(output), { content })
  })

  inHome("exits with 1 for an error of the tool or server", function* (home) {
    const wrong = yield* call(home, "wrong", "draw")
    assert.deepStrictEqual([wrong.code, wrong.output], [1, "one\n"])
    for (const [server, message] of [
      ["refused", /\nzain: refused, draw: refused \(-32601\): Method not found\n$/],
      ["gone", /\nzain: gone, draw: The command \/no\/such\/command was not found/],
    ] as const) {
      const { code, errors, output } = yield* call(home, server, "draw")
      assert.deepStrictEqual([code, output], [1, ""])
      assert.match(errors, message)
    }
  })

  inHome("exits with 2 for wrong usage, and starts nothing", function* (home) {
    for (const [args, message] of [
      [["echo", "add", "[1]"], /ARGS is not a JSON object/],
      [["echo", "add", "{"], /ARGS is not a JSON object/],
      [["other", "add"], /\.mcp\.json has no server "other"; it has: echo, picture, wrong, refused, gone\./],
    ] as const) {
      const { code, errors } = yield* call(home, ...args)
      assert.strictEqual(code, 2)
      assert.match(errors, message)
    }
    assert.isFalse(existsSync(join(home.path, "log")))
  })
})
