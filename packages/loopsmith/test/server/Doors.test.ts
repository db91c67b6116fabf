/**
 * The same server through each of its doors, for the official SDK's client.
 */
import { PassThrough } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { CallToolResult, McpError, Progress } from "@modelcontextprotocol/sdk/types.js"
import * as HttpFront from "@zain/tool-server/http/HttpFront"
import * as StdioTransport from "@zain/tool-server/StdioTransport"
import type { ToolServer } from "@zain/tool-server/ToolServer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as MockEvaluator from "../../src/MockEvaluator.ts"
import * as LoopSmithServer from "../../src/server/LoopSmithServer.ts"
import { byHand, read, until } from "./Clients.ts"
import * as Judge from "./Judge.ts"

const evaluate = "evaluate_document"

/** Each opens a door, through which every client has a transport of its own. */
const listening = (kind: "http" | "ws", make: (url: URL) => Transport) => (server: ToolServer) =>
  Effect.gen(function* () {
    const limits = { absence: Duration.millis(50) }
    const { url } = yield* HttpFront.serve({ server, kind, host: "127.0.0.1", port: 0, tokens: [], limits })
    return Effect.sync(() => make(new URL(url)))
  })

const doors = {
  stdio: (server: ToolServer) =>
    Effect.succeed(
      Effect.gen(function* () {
        const [there, here] = [new PassThrough(), new PassThrough()]
        yield* server.session(StdioTransport.make(there, here))
        // A pipe is the same from both ends.
        const transport = StdioTransport.make(here, there)
        const close = transport.close.bind(transport)
        return Object.assign(transport, {
          close: async () => {
            await close()
            there.end()
          },
        })
      }),
    ),
  http: listening("http", (url) => new StreamableHTTPClientTransport(url) as Transport),
  ws: listening("ws", (url) => new WebSocketClientTransport(url)),
}

/** A client, and its calls; each rejects as the SDK does. */
const connect = (transport: Transport) =>
  Effect.gen(function* () {
    const sdk = new Client({ name: "test", version: "0" })
    sdk.onerror = () => {}
    yield* Effect.acquireRelease(
      Effect.promise(() => sdk.connect(transport)),
      () => Effect.promise(() => sdk.close()),
    )
    const call = (name: string, args: Record<string, unknown>, onprogress?: (progress: Progress) => void) =>
      Effect.tryPromise({
        try: async (signal) => {
          const options = { signal, ...(onprogress === undefined ? {} : { onprogress }) }
          return (await sdk.callTool({ name, arguments: args }, undefined, options)) as CallToolResult
        },
        catch: (cause) => cause as McpError,
      })
    return { sdk, call }
  })

describe.each(["stdio", "http", "ws"] as const)("over %s, a client", (kind) => {
  const open = (server: ToolServer) =>
    Effect.gen(function* () {
      const door = yield* doors[kind](server)
      const join = Effect.flatMap(door, connect)
      return { join, ...(yield* join) }
    })

  it.live("is told who judges, with which tools, and gets a score (LoopSmith 3)", () =>
    Effect.gen(function* () {
      const { call, sdk } = yield* open(LoopSmithServer.make({ evaluator: MockEvaluator.make(), version: "1.2.3" }))
      assert.deepInclude(sdk.getServerVersion(), { name: "loopsmith", version: "1.2.3" })
      const { tools } = yield* Effect.promise(() => sdk.listTools())
      assert.lengthOf(tools, 2)
      const result = yield* call(evaluate, { content: "# T\n- a\n```x```" })
      assert.deepNestedInclude(result, { "structuredContent.score": 5.2 })
      assert.deepStrictEqual(read(result), result.structuredContent)
    }),
  )

  it.live("gets the judge its document byte for byte, megabytes of it (LoopSmith 4)", () =>
    Effect.gen(function* () {
      const { judge, server } = byHand()
      const { call } = yield* open(server)
      const odd = "$& $' $$ {{clarity_weight}} 日本語 😀 \u2028\u0085\r\n\t\u0007\ufeff"
      const content = odd.repeat(Math.floor(1_000_000 / odd.length))
      assert.isAbove(Buffer.byteLength(content), 2 ** 20)
      const calling = yield* Effect.forkChild(call(evaluate, { content }))
      yield* until(() => judge.asked.length === 1)
      assert.isTrue(judge.asked[0]?.request.content === content)
      judge.asked[0]?.give(9)
      yield* Fiber.join(calling)
    }),
  )

  it.live("hears of the progress of its call (LoopSmith 3)", () =>
    Effect.gen(function* () {
      const { judge, server } = byHand()
      const { call } = yield* open(server)
      const told: Array<Progress> = []
      const calling = yield* Effect.forkChild(call(evaluate, { content: "x" }, (progress) => told.push(progress)))
      yield* until(() => told.length === 1)
      assert.deepStrictEqual(told, [{ progress: 1, message: "attempt 1 of 1: the judge is reading" }])
      judge.asked[0]?.give(9)
      yield* Fiber.join(calling)
    }),
  )

  it.live("is told what it did wrong, and why there is no score (LoopSmith 3, LoopSmith 7)", () =>
    Effect.gen(function* () {
      const { judge, server } = byHand()
      const { call } = yield* open(server)
      assert.strictEqual((yield* Effect.flip(call(evaluate, {}))).code, -32602)
      assert.strictEqual((yield* Effect.flip(call("evaluate", { content: "x" }))).code, -32602)
      const calling = yield* Effect.forkChild(Effect.flip(call(evaluate, { content: "x" })))
      yield* until(() => judge.asked.length === 1)
      judge.asked[0]?.fail(Judge.error({ details: "the model is away", retryable: false, attempts: 1 }))
      const { code, data } = yield* Fiber.join(calling)
      assert.deepStrictEqual([code, data], [
        -32603,
        { details: "the model is away", retryable: false, attempts: 1 },
      ] as never)
    }),
  )

  it.live("cancels a call, and is served on (LoopSmith 8)", () =>
    Effect.gen(function* () {
      const { judge, server } = byHand()
      const { call } = yield* open(server)
      const calling = yield* Effect.forkChild(call(evaluate, { content: "too long" }))
      yield* until(() => judge.asked.length === 1)
      yield* Fiber.interrupt(calling)
      yield* until(() => judge.interrupted.length === 1)
      const next = yield* Effect.forkChild(call(evaluate, { content: "x" }))
      yield* until(() => judge.asked.length === 2)
      judge.asked[1]?.give(4)
      assert.deepNestedInclude(yield* Fiber.join(next), { "structuredContent.score": 4 })
    }),
  )

  it.live("takes its evaluations with it when it goes, and nobody else's (LoopSmith 8, LoopSmith 9)", () =>
    Effect.gen(function* () {
      const { judge, server } = byHand()
      const { call, join, sdk } = yield* open(server)
      const other = yield* join
      // Both number their requests from 0.
      yield* Effect.forkChild(Effect.exit(call(evaluate, { content: "mine" })))
      const theirs = yield* Effect.forkChild(other.call(evaluate, { content: "theirs" }))
      yield* until(() => judge.asked.length === 2)
      yield* Effect.promise(() => sdk.close())
      yield* until(() => judge.interrupted.length === 1)
      for (const { give } of judge.asked) give(7)
      assert.deepNestedInclude(yield* Fiber.join(theirs), { "structuredContent.score": 7 })
      assert.deepStrictEqual(judge.interrupted, ["mine"])
    }),
  )
})
