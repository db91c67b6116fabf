import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import {
  CompleteResultSchema,
  ListPromptsRequestSchema,
  type LoggingLevel,
  type LoggingMessageNotification,
  LoggingMessageNotificationSchema,
  type ResourceUpdatedNotification,
  ResourceUpdatedNotificationSchema,
  type ServerCapabilities,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js"
import type { LogMessage } from "@zain/tool-server/Features"
import * as ToolServer from "@zain/tool-server/ToolServer"
import { Deferred, Effect, PubSub, Stream } from "effect"
import { test } from "../../core/test/Test.ts"
import * as InMemory from "./InMemory.ts"
import { eventually } from "./TestServer.ts"

const idle: ToolServer.ToolClient = {
  call: (_, { clientInfo, protocolVersion }) =>
    Effect.succeed({ content: [{ type: "text", text: `${clientInfo?.name} ${protocolVersion}` }] }),
  isBusy: () => false,
  leave: Effect.void,
}
const about = { name: "test", title: "Test", version: "0", instructions: "Read this." }
const client = () => Effect.succeed(idle)
const tool = (name: string) => ({ name, inputSchema: { type: "object" as const } })

const connected = Effect.fnUntraced(function* (
  server: ToolServer.ToolServer,
  sdk = new Client({ name: "by sdk", version: "1" }),
) {
  const { transport } = yield* InMemory.join(server)
  const call = yield* InMemory.connect(sdk, transport)
  return { sdk, call }
})
const failureOf = (work: () => Promise<unknown>) =>
  Effect.promise(() =>
    work().then(
      () => undefined,
      (error) => error,
    ),
  )

describe("the capabilities of a server", () => {
  test.live.each<readonly [string, Partial<ToolServer.Options>, ServerCapabilities]>([
    ["tools that never change", { tools: [tool("a")] }, { tools: {} }],
    ["tools of each client", { tools: () => ({ list: () => [] }) }, { tools: { listChanged: false } }],
    [
      "tools that change",
      { tools: () => ({ list: () => [], changes: Stream.empty }) },
      { tools: { listChanged: true } },
    ],
    [
      "all features",
      {
        tools: () => ({ list: () => [] }),
        resources: () => ({ list: Effect.succeed([]), read: () => Effect.succeed([]), updates: Stream.empty }),
        prompts: () => ({ list: Effect.succeed([]), get: () => Effect.succeed({ messages: [] }) }),
        completions: () => () => Effect.succeed({ values: [] }),
        logging: () => ({ messages: Stream.empty }),
      },
      {
        tools: { listChanged: false },
        resources: { subscribe: true, listChanged: false },
        prompts: { listChanged: false },
        completions: {},
        logging: {},
      },
    ],
  ])("%s are declared exactly as they are served", function* ([, given, expected]) {
    const server = ToolServer.make({ ...about, client, tools: [], ...given })
    const { sdk } = yield* connected(server)
    assert.deepStrictEqual(sdk.getServerCapabilities(), expected)
  })

  test.live("omit an absent feature, whose methods are unknown", function* () {
    const { sdk } = yield* connected(ToolServer.make({ ...about, client, tools: [] }))
    // The SDK's client itself rejects methods of undeclared capabilities.
    const ask = (method: string) =>
      failureOf(() => sdk.request({ method, params: {} } as never, ListPromptsRequestSchema as never))
    for (const method of ["resources/list", "prompts/list", "completion/complete", "logging/setLevel"]) {
      assert.strictEqual((yield* ask(method))?.code ?? -32_601, -32_601, method)
    }
  })

  it("prevent the registration of a method whose feature is absent (editors 004.3)", () => {
    const server = new Server({ name: "test", version: "0" }, { capabilities: { tools: {} } })
    assert.throws(
      () => server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [] })),
      /does not support prompts/,
    )
  })
})

describe("the tools of a client", () => {
  test.live("are announced by one notification per change, also a change before the client is ready", function* () {
    const changes = yield* PubSub.unbounded<void>({ replay: 1 })
    yield* PubSub.publish(changes, undefined)
    const server = ToolServer.make({
      ...about,
      client,
      tools: () => ({ list: () => [tool("a")], changes: Stream.fromPubSub(changes) }),
    })
    const sdk = new Client({ name: "by sdk", version: "1" })
    let notified = 0
    sdk.setNotificationHandler(ToolListChangedNotificationSchema, () => void notified++)
    yield* connected(server, sdk)
    yield* eventually(() => notified === 1)
    yield* PubSub.publish(changes, undefined)
    yield* eventually(() => notified === 2)
    const { tools } = yield* Effect.promise(() => sdk.listTools())
    assert.deepStrictEqual(
      tools.map(({ name }) => name),
      ["a"],
    )
  })

  test.live("receive the client's name and the revision of MCP with each call", function* () {
    const { call } = yield* connected(ToolServer.make({ ...about, client, tools: [tool("a")] }))
    const { content } = yield* call("a", {})
    assert.deepStrictEqual(content, [{ type: "text", text: "by sdk 2025-11-25" }])
  })
})

describe("beforeInitialize", () => {
  test.live("runs before the answer to initialize, and its members replace those of the answer", function* () {
    const gate = yield* Deferred.make<void>()
    const server = ToolServer.make({
      ...about,
      client,
      tools: [],
      beforeInitialize: (_, { clientInfo, protocolVersion }) =>
        Effect.as(Deferred.await(gate), { instructions: `${clientInfo.name} ${protocolVersion}` }),
    })
    const { transport } = yield* InMemory.join(server)
    const sdk = new Client({ name: "by sdk", version: "1" })
    const connecting = yield* Effect.forkChild(InMemory.connect(sdk, transport), { startImmediately: true })
    yield* Effect.promise(() => new Promise(setImmediate))
    assert.isUndefined(connecting.pollUnsafe())
    yield* Deferred.succeed(gate, undefined)
    yield* eventually(() => connecting.pollUnsafe() !== undefined)
    assert.strictEqual(sdk.getInstructions(), "by sdk 2025-11-25")
  })

  test.live("is interrupted when the client disconnects", function* () {
    let interrupted = 0
    const server = ToolServer.make({
      ...about,
      client,
      tools: [],
      beforeInitialize: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void interrupted++)),
    })
    const { transport } = yield* InMemory.join(server)
    const sdk = new Client({ name: "by sdk", version: "1" })
    sdk.connect(transport).catch(() => {})
    yield* Effect.promise(() => new Promise(setImmediate))
    yield* Effect.promise(() => transport.close())
    yield* eventually(() => interrupted === 1)
  })
})

describe("other features", () => {
  test.live("list, read and subscribe to resources, and notify of subscribed ones only", function* () {
    const updates = yield* PubSub.unbounded<string>()
    const server = ToolServer.make({
      ...about,
      client,
      tools: [],
      resources: () => ({
        list: Effect.succeed([{ uri: "a:1", name: "one" }]),
        read: (uri) => Effect.succeed([{ uri, text: `text of ${uri}` }]),
        updates: Stream.fromPubSub(updates),
      }),
    })
    const { sdk } = yield* connected(server)
    const notified: Array<unknown> = []
    sdk.setNotificationHandler(ResourceUpdatedNotificationSchema, (notification: ResourceUpdatedNotification) => {
      notified.push(notification.params)
    })
    const read = yield* Effect.promise(async () => await sdk.readResource({ uri: "a:1" }))
    assert.deepStrictEqual(read.contents, [{ uri: "a:1", text: "text of a:1" }])
    yield* Effect.promise(() => sdk.subscribeResource({ uri: "a:2" }))
    yield* eventually(() => {
      Effect.runSync(PubSub.publish(updates, "a:1"))
      Effect.runSync(PubSub.publish(updates, "a:2"))
      return notified.length > 0
    })
    assert.deepStrictEqual(notified[0], { uri: "a:2" })
    const long = yield* failureOf(() => sdk.subscribeResource({ uri: "x".repeat(5_000) }))
    assert.strictEqual(long?.code, -32_602)
  })

  test.live("notify each subscription once for an update of several resources", function* () {
    const updates = yield* PubSub.unbounded<string | ((uri: string) => boolean)>({ replay: 2 })
    const server = ToolServer.make({
      ...about,
      client,
      tools: [],
      resources: () => ({
        list: Effect.succeed([]),
        read: () => Effect.succeed([]),
        updates: Stream.fromPubSub(updates),
      }),
    })
    const { sdk } = yield* connected(server)
    const notified: Array<string> = []
    sdk.setNotificationHandler(ResourceUpdatedNotificationSchema, (notification: ResourceUpdatedNotification) => {
      notified.push(notification.params.uri)
    })
    for (const uri of ["a:1", "a:2", "b:1"]) yield* Effect.promise(() => sdk.subscribeResource({ uri }))
    yield* PubSub.publish(updates, (uri) => uri.startsWith("a:"))
    yield* PubSub.publish(updates, "b:1")
    yield* eventually(() => notified.includes("b:1"))
    assert.deepStrictEqual(notified, ["a:1", "a:2", "b:1"])
  })

  test.live("answer a method by its alias too, with the same validation", function* () {
    const server = ToolServer.make({
      ...about,
      client,
      tools: [],
      completions:
        () =>
        ({ argument }) =>
          Effect.succeed({ values: [`${argument.value}!`] }),
      aliases: { complete: "completion/complete" },
    })
    const { sdk } = yield* connected(server)
    const ref = { type: "ref/prompt", name: "a" }
    const ask = (method: string, params: object) =>
      sdk.request({ method, params } as never, CompleteResultSchema as never)
    for (const method of ["complete", "completion/complete"]) {
      const answer = yield* Effect.promise(() => ask(method, { ref, argument: { name: "b", value: "c" } }))
      assert.deepStrictEqual(answer, { completion: { values: ["c!"] } } as never)
      const refused = yield* failureOf(() => ask(method, { ref }))
      assert.strictEqual(refused?.code, -32_602)
      assert.include(refused?.message, "params.argument")
    }
  })

  test.live("send no log messages below the level that the client set", function* () {
    const messages = yield* PubSub.unbounded<LogMessage>({ replay: 2 })
    const server = ToolServer.make({
      ...about,
      client,
      tools: [],
      logging: () => ({ messages: Stream.fromPubSub(messages) }),
    })
    const { sdk } = yield* connected(server)
    const logged: Array<unknown> = []
    sdk.setNotificationHandler(LoggingMessageNotificationSchema, (notification: LoggingMessageNotification) => {
      logged.push(notification.params.data)
    })
    yield* Effect.promise(() => sdk.setLoggingLevel("error"))
    yield* PubSub.publish(messages, { level: "debug", data: "small" })
    yield* PubSub.publish(messages, { level: "error", data: "large" })
    yield* eventually(() => logged.length > 0)
    assert.deepStrictEqual(logged, ["large"])
  })

  test.live("send log messages below the server's own level only to a client that set a lower one", function* () {
    const messages = yield* PubSub.unbounded<LogMessage>({ replay: 2 })
    const logging = () => ({ messages: Stream.fromPubSub(messages), least: "warning" as const })
    const server = ToolServer.make({ ...about, client, tools: [], logging })
    const logged = Effect.fnUntraced(function* (level?: LoggingLevel) {
      const { sdk } = yield* connected(server)
      const seen: Array<unknown> = []
      if (level !== undefined) yield* Effect.promise(() => sdk.setLoggingLevel(level))
      sdk.setNotificationHandler(LoggingMessageNotificationSchema, (notification: LoggingMessageNotification) => {
        seen.push(notification.params.data)
      })
      return seen
    })
    const [usual, curious] = [yield* logged(), yield* logged("info")]
    yield* PubSub.publish(messages, { level: "info", data: "small" })
    yield* PubSub.publish(messages, { level: "warning", data: "large" })
    yield* eventually(() => usual.length > 0 && curious.length > 1)
    assert.deepStrictEqual([usual, curious], [["large"], ["small", "large"]])
  })
})
