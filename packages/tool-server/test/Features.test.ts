import { assert, describe } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import {
  type LoggingLevel,
  type LoggingMessageNotification,
  LoggingMessageNotificationSchema,
  type ResourceUpdatedNotification,
  ResourceUpdatedNotificationSchema,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js"
import { test } from "@zain/testkit/Test"
import type { LogMessage } from "@zain/tool-server/Features"
import * as ToolServer from "@zain/tool-server/ToolServer"
import { Effect, PubSub, Stream } from "effect"
import * as InMemory from "../testing/InMemory.ts"
import { eventually } from "../testing/TestServer.ts"

const idle: ToolServer.ToolClient = {
  call: () => Effect.succeed({ content: [] }),
  isBusy: () => false,
  leave: Effect.void,
}
const about = { name: "test", title: "Test", version: "0", instructions: "" }
const client = () => Effect.succeed(idle)
const tool = (name: string) => ({ name, inputSchema: { type: "object" as const } })

const connected = Effect.fnUntraced(function* (
  server: ToolServer.ToolServer,
  sdk = new Client({ name: "by sdk", version: "1" }),
) {
  const { transport } = yield* InMemory.join(server)
  yield* InMemory.connect(sdk, transport)
  return sdk
})
const failureOf = (work: () => Promise<unknown>) =>
  Effect.promise(() =>
    work().then(
      () => undefined,
      (error) => error,
    ),
  )

describe("the capabilities of a server", () => {
  const none = Effect.succeed([])
  const features: Pick<ToolServer.Options, "resources" | "prompts" | "completions" | "logging"> = {
    resources: () => ({ list: none, read: () => none }),
    prompts: () => ({ list: none, get: () => Effect.succeed({ messages: [] }) }),
    completions: () => () => Effect.succeed({ values: [] }),
    logging: () => ({ messages: Stream.empty }),
  }
  const methods = {
    resources: ["resources/list", "resources/templates/list", "resources/read"],
    prompts: ["prompts/list", "prompts/get"],
    completions: ["completion/complete", "complete"],
    logging: ["logging/setLevel"],
    updates: ["resources/subscribe", "resources/unsubscribe"],
  }
  /** Valid for each method. */
  const params = {
    uri: "a:1",
    name: "a",
    level: "info",
    ref: { type: "ref/prompt", name: "a" },
    argument: { name: "a", value: "" },
  }

  test.live.each(["nothing else", "resources", "prompts", "completions", "logging"] as const)(
    "are tools and %s where no more is given: methods of absent features are unknown, also by an alias (editors 004.3)",
    function* (given) {
      const feature = given === "nothing else" ? {} : { [given]: features[given] }
      const aliases = { complete: "completion/complete" }
      const sdk = yield* connected(ToolServer.make({ ...about, client, tools: [], aliases, ...feature }))
      assert.sameMembers(Object.keys(sdk.getServerCapabilities() ?? {}), ["tools", ...Object.keys(feature)])
      for (const [feature, names] of Object.entries(methods)) {
        for (const method of names) {
          const failure = yield* failureOf(() => sdk.request({ method, params }, ResultSchema))
          assert.strictEqual(failure?.code === -32_601, feature !== given, method)
        }
      }
    },
  )
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
})

describe("beforeInitialize", () => {
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
  test.live(
    "notify each subscription once for an update of several resources, and accept no URI of 5,000 characters",
    function* () {
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
      const sdk = yield* connected(server)
      const notified: Array<string> = []
      sdk.setNotificationHandler(ResourceUpdatedNotificationSchema, (notification: ResourceUpdatedNotification) => {
        notified.push(notification.params.uri)
      })
      for (const uri of ["a:1", "a:2", "b:1"]) yield* Effect.promise(() => sdk.subscribeResource({ uri }))
      yield* PubSub.publish(updates, (uri) => uri.startsWith("a:"))
      yield* PubSub.publish(updates, "b:1")
      yield* eventually(() => notified.includes("b:1"))
      assert.deepStrictEqual(notified, ["a:1", "a:2", "b:1"])
      const long = yield* failureOf(() => sdk.subscribeResource({ uri: "x".repeat(5_000) }))
      assert.strictEqual(long?.code, -32_602)
    },
  )

  test.live("send log messages below the server's own level only to a client that set a lower one", function* () {
    const messages = yield* PubSub.unbounded<LogMessage>({ replay: 2 })
    const logging = () => ({ messages: Stream.fromPubSub(messages), least: "warning" as const })
    const server = ToolServer.make({ ...about, client, tools: [], logging })
    const logged = Effect.fnUntraced(function* (level?: LoggingLevel) {
      const sdk = yield* connected(server)
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
