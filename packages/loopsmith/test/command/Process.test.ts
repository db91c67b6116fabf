/**
 * `loopsmith serve` as a process: agents, signals, exit codes and messages.
 */
import { readdirSync } from "node:fs"
import { assert, describe } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as SocketClient from "../../../tool-server/testing/SocketClient.ts"
import { eventually } from "../../../tool-server/testing/TestServer.ts"
import { home } from "./Command.ts"

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "0" } },
}
const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }
const evaluate = (content: string, id = 2) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "evaluate_document", arguments: { content } },
})

describe("loopsmith serve", () => {
  test.live(
    "serves a WebSocket client and the SDK's Streamable HTTP client at one URL at the same time (LoopSmith 2)",
    function* () {
      const server = yield* (yield* home).run(["serve", "--judge", "mock", "--json", "--port", "0"])
      const { url, webSocketUrl } = JSON.parse(yield* server.says("output", /^(.*)\n/))
      assert.strictEqual(webSocketUrl, url.replace("http:", "ws:"))
      const socket = yield* SocketClient.session(webSocketUrl)
      const http = new Client({ name: "test", version: "0" })
      yield* Effect.acquireRelease(
        Effect.promise(() => http.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport)),
        () => Effect.promise(() => http.close()),
      )
      const params = { name: "evaluate_document", arguments: { content: "# T\n- a\n```x```" } }
      const [overSocket, overHttp] = yield* Effect.all(
        [
          socket.ask(JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params }), 7),
          Effect.promise(() => http.callTool(params)),
        ],
        { concurrency: "unbounded" },
      )
      for (const result of [overSocket.result as CallToolResult, overHttp])
        assert.deepInclude(result.structuredContent, { score: 5.2, pass: false })
    },
  )

  test.live(
    "listens at 127.0.0.1 over ws and http until SIGTERM, and frees the port (LoopSmith 2, LoopSmith 8)",
    function* () {
      const { run } = yield* home
      let port = "0"
      for (const kind of ["ws", "http"]) {
        const server = yield* run(["serve", kind, "--judge", "mock", "--json"], { MCP_PORT: port })
        const { url } = JSON.parse(yield* server.says("output", /^(.*)\n/))
        // The port of the first server is free for the second.
        if (port === "0") port = new URL(url).port
        assert.strictEqual(url, `${kind}://127.0.0.1:${port}/mcp`)
        const second = yield* run(["serve", kind, "--judge", "mock", "--port", port])
        assert.strictEqual(yield* second.exit, 1)
        assert.match(
          second.errors(),
          new RegExp(`^loopsmith: Cannot listen on 127\\.0\\.0\\.1, port ${port}.*--port\\.\n$`),
        )
        server.child.kill("SIGTERM")
        assert.strictEqual(yield* server.exit, 143)
      }
    },
  )

  test.live("starts no agent before the first evaluation, so that clients connect fast", function* () {
    const { agent, run, starts } = yield* home
    const server = yield* run(["serve", "stdio", "--judge", "codex", "--judge-command", agent("hang")])
    for (const message of [initialize, initialized]) server.send(message)
    yield* server.says("output", /"id":1/)
    server.child.stdin.end()
    assert.strictEqual(yield* server.exit, 0)
    assert.deepStrictEqual(starts(), [])
  })

  test.live("ends the agent of the evaluation under way at SIGTERM (LoopSmith 8)", function* () {
    const { agent, agentsGone, path, run, starts } = yield* home
    const server = yield* run(["serve", "stdio", "--judge", "claude-code", "--judge-command", agent("hang")])
    for (const message of [initialize, initialized, evaluate("# T")]) server.send(message)
    yield* eventually(() => starts().length === 1)
    server.child.kill("SIGTERM")
    assert.strictEqual(yield* server.exit, 143)
    yield* agentsGone
    assert.isEmpty(readdirSync(path).filter((name) => name.startsWith("loopsmith-")))
  })

  test.live(
    "answers with -32603 and the last cause when the judge fails, with secrets masked (LoopSmith 7, LoopSmith 11)",
    function* () {
      const { agent, run } = yield* home
      const env = { MY_API_KEY: "swordfish-1234", LOG_LEVEL: "debug" }
      const options = ["--judge", "claude-code", "--judge-command", agent("leak", "MY_API_KEY"), "--attempts", "1"]
      const server = yield* run(["serve", "stdio", ...options, "--env", "MY_API_KEY"], env)
      for (const message of [initialize, initialized, evaluate("# T")]) server.send(message)
      const { error } = JSON.parse(yield* server.says("output", /^(.*"id":2.*)\n/m))
      assert.strictEqual(error.code, -32603)
      assert.deepInclude(error.data, { retryable: true, attempts: 1 })
      assert.include(error.data.details, "The key <redacted> was refused. Bearer <redacted> was too.")
      yield* server.says("errors", /WARN/)
      for (const said of [server.output(), server.errors()]) assert.notMatch(said, /swordfish|somebody-else/)
      assert.include(server.errors(), "The key <redacted> was refused.")
    },
  )

  test.live("masks secrets in suggestions and keeps them within 2,000 characters (LoopSmith 11)", function* () {
    const { agent, run } = yield* home
    const env = { MY_TEXT: "hushhush ".repeat(220), MY_TOKEN: "hushhush" }
    const options = ["--judge", "claude-code", "--judge-command", agent("confide", "MY_TEXT"), "--env", "MY_TEXT"]
    const server = yield* run(["serve", "stdio", ...options], env)
    for (const message of [initialize, initialized, evaluate("# T")]) server.send(message)
    const { result } = JSON.parse(yield* server.says("output", /^(.*"id":2.*)\n/m))
    const [suggestion] = result.structuredContent.suggestions
    assert.match(suggestion, /^Say (<redacted> ){3}/)
    assert.strictEqual(suggestion.length, 2_000)
    assert.notInclude(server.output(), "hush")
  })

  const refused: ReadonlyArray<readonly [args: string, code: number, said: string]> = [
    ["serve --port http", 2, '--port takes a whole number from 0 to 65535, not "http". See loopsmith serve --help.'],
    ["serve", 1, "The judge is Codex, but its program was not found: codex on PATH"],
    ["serve stdio --judge claude-code", 1, 'Install it with "npm install --global @anthropic-ai/claude-code"'],
    ["serve --host 0.0.0.0 --judge mock", 1, "token"],
    ["improve missing.md", 1, "missing.md: Cannot be read: no such file or directory."],
    ["polish", 2, "See loopsmith --help."],
  ]
  for (const [args, code, said] of refused)
    test.live(`prints one line with the cause and exits with ${code}: ${args}`, function* () {
      const command = yield* (yield* home).run(args.split(" "))
      assert.strictEqual(yield* command.exit, code)
      assert.match(command.errors(), /^loopsmith: [^\n]*\.\n$/)
      assert.include(command.errors(), said)
      assert.strictEqual(command.output(), "")
    })

  test.live("prints its version and its help", function* () {
    const { run } = yield* home
    for (const [args, said] of [
      ["--version", /^\d+\.\d+\.\d+\n$/],
      ["improve --help", /^Usage: loopsmith improve/m],
    ] as const) {
      const command = yield* run(args.split(" "))
      assert.strictEqual(yield* command.exit, 0)
      assert.match(command.output(), said)
      assert.strictEqual(command.errors(), "")
    }
  })
})
