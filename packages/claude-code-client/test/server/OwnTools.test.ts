/** Tools of a client's own as an MCP server for Claude Code. */
import { assert, describe } from "@effect/vitest"
import type { Tools } from "@zain/agent-server/ClientTools"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as ClaudeCode from "../../testing/server/ClaudeCode.ts"

const add = { name: "add", description: "Adds.", inputSchema: { type: "object" } }
const tools: Tools = [add]
const decline = () => Effect.succeed({ _tag: "Decline" as const, reason: "no" })

const prompt = (method: string, params: object = {}) =>
  `mcp ${JSON.stringify({ jsonrpc: "2.0", id: 7, method, params })}`

/** A client with a thread, and the response to a prompt of it. */
const begun = Effect.fnUntraced(function* (own: Tools = tools) {
  const client = yield* ClaudeCode.client()
  const threadId = yield* client.start({ cwd: client.home }, own)
  const listener = ClaudeCode.recorder(decline)
  const says = (text: string, given: Tools = own) =>
    Effect.map(
      client.turn(threadId, { prompt: text, ...(given.length === 0 ? {} : { tools: given }) }, listener),
      ({ content }) => JSON.parse(content),
    )
  const server = `zain-${threadId.slice(0, 8)}`
  return { ...client, listener, says, server }
})

const responded = (result: object) => ({ mcp_response: { jsonrpc: "2.0", id: 7, result } })

describe("tools of a client's own", () => {
  test.live(
    "are those of a server that the thread alone names, whose calls need no approval of Claude Code",
    function* () {
      const { home, says, server } = yield* begun()
      const { response } = yield* says(prompt("tools/list"))
      const _meta = { "anthropic/alwaysLoad": true, "anthropic/maxResultSizeChars": 262_144 }
      const listed = { ...add, _meta }
      assert.deepStrictEqual(response, responded({ tools: [listed] }))
      const [{ sdkMcpServers, settings } = {}] = ClaudeCode.setups(home)
      assert.deepStrictEqual(sdkMcpServers, [server])
      assert.deepInclude((settings as { readonly permissions: object }).permissions, { allow: [`mcp__${server}`] })
    },
  )

  test.live("are approved where Claude Code asks all the same, and no other tool is", function* () {
    const { listener, says, server } = yield* begun()
    const behaviour = (tool: string) => Effect.map(says(`ask ${tool} {}`), ({ response }) => response.behavior)
    assert.strictEqual(yield* behaviour(`mcp__${server}__add`), "allow")
    assert.deepStrictEqual(listener.asked, [])
    for (const other of [`mcp__${server}__more`, "mcp__zain__add", "add"]) {
      assert.strictEqual(yield* behaviour(other), "deny")
    }
    assert.lengthOf(listener.asked, 3)
  })

  test.live("are not mentioned to Claude Code in a thread without any", function* () {
    const { home, says } = yield* begun([])
    yield* says('ask Bash {"command":"ls"}')
    const [{ settings, ...setup } = {}] = ClaudeCode.setups(home)
    assert.notProperty(setup, "sdkMcpServers")
    assert.notProperty((settings as { readonly permissions: object }).permissions, "allow")
  })

  test.live("may change: another process has the others, and the same ones stay in theirs", function* () {
    const { home, says } = yield* begun()
    yield* says(prompt("tools/list"))
    yield* says(prompt("tools/list"))
    assert.lengthOf(ClaudeCode.starts(home), 1)
    const { response } = yield* says(prompt("tools/list"), [{ ...add, name: "more" }])
    assert.strictEqual(response.mcp_response.result.tools[0].name, "more")
    assert.lengthOf(ClaudeCode.starts(home), 2)
  })
})
