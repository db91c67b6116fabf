/**
 * Commands in words that the client's model turns into steps, over the fake of Blender's bridge.
 */
import { assert, describe } from "@effect/vitest"
import {
  type CallToolResult,
  type CreateMessageRequest,
  CreateMessageRequestSchema,
  type CreateMessageResult,
  type CreateMessageResultWithTools,
  McpError,
} from "@modelcontextprotocol/sdk/types.js"
import { maxAnswerBytes } from "@zain/editor-link/infrastructure/mcp/ClientModel"
import type { EditorSettings } from "@zain/editor-link/infrastructure/mcp/EditorSettings"
import { test } from "@zain/testkit/Test"
import { Duration, Effect, Fiber } from "effect"
import * as Editors from "../../editor-link/testing/Editors.ts"
import * as FrontClients from "../../editor-link/testing/FrontClients.ts"
import { eventually } from "../../tool-server/testing/TestServer.ts"
import { blender } from "../src/BlenderProfile.ts"
import * as FakeBlender from "../src/fake/FakeBlender.ts"
import * as Steps from "../src/Steps.ts"

/** A client's model: what it answers to a request. */
type Model = (
  request: CreateMessageRequest["params"],
  signal: AbortSignal,
) => Promise<CreateMessageResult | CreateMessageResultWithTools>

/** @param model nothing for a client without sampling */
const begin = Effect.fnUntraced(function* (
  model: Model | undefined,
  front: FrontClients.Front = "http",
  settings: Partial<EditorSettings> = {},
) {
  const editor = yield* FakeBlender.start()
  const target = { host: "127.0.0.1", port: editor.port, token: editor.token }
  const server = yield* Editors.server(blender, [target], settings)
  const asked: Array<CreateMessageRequest["params"]> = []
  const sdk = yield* FrontClients.sdk(server, front, (client) => {
    if (model === undefined) return
    client.registerCapabilities({ sampling: {} })
    // Sends what the handler of `sampling/createMessage` would refuse to send.
    client.fallbackRequestHandler = async (request, { signal }) => {
      const { params } = CreateMessageRequestSchema.parse(request)
      asked.push(params)
      return model(params, signal)
    }
  })
  const call = (name: string, args: Record<string, unknown>) =>
    Effect.promise(
      async (signal) => (await sdk.callTool({ name, arguments: args }, undefined, { signal })) as CallToolResult,
    )
  /** What Blender was asked to do. */
  const applied = () =>
    editor.seen.flatMap((seen) => {
      const { method, params } = (seen._tag === "Frame" ? seen.value : {}) as { method?: string; params?: object }
      return method === "steps.apply" || method === "code.run" ? [params] : []
    })
  return { call, asked, applied }
})

const wrote = (text: string): CreateMessageResult => ({
  model: "scripted",
  role: "assistant",
  content: { type: "text", text },
})
const steps = [
  { create: { primitive: "cube", name: "Keep" } },
  { transform: { object: "Keep", scale: { x: 2, y: 2, z: 9 } } },
]
const castle = { command: "build a castle" }

/** A model that never answers, and whether its request was cancelled. */
const silent = () => {
  const seen = { isCancelled: false }
  const model: Model = (_, signal) => {
    const cancelled = () => {
      seen.isCancelled = true
    }
    signal.addEventListener("abort", cancelled)
    if (signal.aborted) cancelled()
    return new Promise(() => {})
  }
  return { model, seen }
}

describe("a command that no template has", () => {
  test.live.each(FrontClients.fronts)(
    "over %s becomes the steps that the client's model writes, and they are carried out (editors 003.22)",
    function* (front) {
      const { applied, asked, call } = yield* begin(async () => wrote(JSON.stringify(steps)), front)
      const done = yield* call("command.executeNatural", castle)
      assert.deepInclude(JSON.parse(Editors.textOf(done)), { template: "sampling", steps })
      assert.deepInclude(applied()[0], { steps })
      const [{ _meta, includeContext, maxTokens, messages, systemPrompt } = {} as never] = asked
      assert.include(systemPrompt, JSON.stringify(Steps.schema))
      assert.deepStrictEqual(messages, [{ role: "user", content: { type: "text", text: "Command: build a castle" } }])
      assert.deepStrictEqual([includeContext, maxTokens, asked.length], ["none", 8_192, 1])
      assert.isNumber(_meta?.["requestId"])
    },
  )

  test.live("of two calls at once becomes the steps that were written for each (editors 003.22)", function* () {
    const named = ({ messages }: CreateMessageRequest["params"]) =>
      JSON.stringify(messages).includes("castle") ? "Keep" : "Mast"
    const both: Array<() => void> = []
    const { call } = yield* begin(async (params) => {
      // The one that was asked first is answered last.
      await new Promise<void>((resolve) => both.unshift(resolve) === 2 && both.forEach((go) => void go()))
      return wrote(JSON.stringify([{ create: { primitive: "cube", name: named(params) } }]))
    })
    const results = yield* Effect.all(
      [call("command.executeNatural", castle), call("command.executeNatural", { command: "build a ship" })],
      { concurrency: "unbounded" },
    )
    const created = results.map((result) => JSON.parse(Editors.textOf(result)).changes.created)
    assert.deepStrictEqual(created, [["Keep"], ["Mast"]])
  })

  test.live(
    "is about the object of model.iterate, and its answer may have several blocks (editors 003.22)",
    function* () {
      const answer = JSON.stringify([{ transform: { object: "Cube", relative: true, scale: { x: 1, y: 1, z: 3 } } }])
      const { applied, asked, call } = yield* begin(async () => ({
        ...wrote(""),
        content: [answer.slice(0, 9), answer.slice(9)].map((text) => ({ type: "text" as const, text })),
      }))
      const done = yield* call("model.iterate", { modelId: "Cube", feedback: "more like a tower" })
      assert.notStrictEqual(done.isError, true, Editors.textOf(done))
      const [{ content } = {}] = asked[0]?.messages ?? []
      assert.include(content && "text" in content ? content.text : "", 'the command is about: ["Cube"]')
      assert.lengthOf(applied(), 1)
    },
  )

  const refusals: ReadonlyArray<readonly [what: string, model: Model, code: string, said: string]> = [
    [
      "a refusal of the user",
      () => Promise.reject(new McpError(-1, "User rejected sampling request")),
      "PERMISSION_DENIED",
      'No template matches this command. The client rejected the sampling request: "User rejected sampling request"',
    ],
    ["another error", () => Promise.reject(new McpError(-32_603, "No model")), "COMMAND_EXECUTION_FAILED", "No model"],
    [
      "a picture",
      async () => ({ ...wrote(""), content: { type: "image", data: "AAAA", mimeType: "image/png" } }),
      "COMMAND_EXECUTION_FAILED",
      "has no text",
    ],
    [
      "an answer of the wrong shape",
      async () => ({ text: "none" }) as never,
      "COMMAND_EXECUTION_FAILED",
      "has no text",
    ],
    [
      "too large an answer",
      async () => wrote(`${JSON.stringify(steps)}${" ".repeat(maxAnswerBytes)}`),
      "COMMAND_EXECUTION_FAILED",
      "65536 is the limit",
    ],
    [
      "what is no step, twice",
      async () => wrote('[{"code":"import os"}]'),
      "COMMAND_EXECUTION_FAILED",
      "no valid steps for this command, twice",
    ],
    [
      "more than steps, twice",
      async () => wrote('[{"delete":{"objects":["Cube"],"file":"/etc/passwd"}}]'),
      "COMMAND_EXECUTION_FAILED",
      "no valid steps for this command, twice",
    ],
    [
      "depth without end, twice",
      async () => wrote("[".repeat(maxAnswerBytes)),
      "COMMAND_EXECUTION_FAILED",
      "no valid steps for this command, twice",
    ],
    [
      "spaces without end, twice",
      async () => wrote(`\`\`\`${" ".repeat(maxAnswerBytes - 3)}`),
      "COMMAND_EXECUTION_FAILED",
      "no valid steps for this command, twice",
    ],
  ]

  test.live.each(refusals)(
    "and that the client answers with %s fails, names the nearest template, and leaves Blender untouched (editors 003.22)",
    function* ([, model, code, said]) {
      const { applied, call } = yield* begin(model)
      const failed = yield* call("command.executeNatural", { command: "move the castle over the river" })
      assert.isTrue(failed.isError)
      assert.include(Editors.textOf(failed), said)
      assert.include(Editors.textOf(failed), "The nearest template is `move`")
      assert.deepInclude(Editors.errorOf(failed), { code })
      assert.deepStrictEqual(applied(), [])
    },
  )

  test.live("is asked for once more with what was wrong (editors 003.22)", function* () {
    const answers = ["no JSON", JSON.stringify(steps)]
    const { applied, asked, call } = yield* begin(async () => wrote(answers.shift() ?? ""))
    const done = yield* call("command.executeNatural", castle)
    assert.notStrictEqual(done.isError, true)
    assert.include(JSON.stringify(asked[1]?.messages), "Your last answer was wrong: It was not JSON.")
    assert.lengthOf(applied(), 1)
  })

  test.live.each(FrontClients.fronts)(
    "over %s fails at the call's limit where the client never answers, whose request is cancelled (editors 003.22)",
    function* (front) {
      const { model, seen } = silent()
      const { applied, call } = yield* begin(model, front, { timeout: Duration.millis(300) })
      const failed = yield* call("command.executeNatural", castle)
      assert.deepInclude(Editors.errorOf(failed), { code: "OPERATION_TIMEOUT" })
      assert.include(Editors.textOf(failed), "timed out after 300ms. Raise the limit: `timeoutMs`")
      assert.include(Editors.textOf(failed), "give them to command_apply. Their JSON Schema: {")
      yield* eventually(() => seen.isCancelled)
      assert.deepStrictEqual(applied(), [])
    },
  )

  test.live("fails at a `timeoutMs` that is shorter than the call's limit (editors 003.22)", function* () {
    const { call } = yield* begin(silent().model, "http", { timeout: Duration.hours(1) })
    const failed = yield* call("command.executeNatural", { ...castle, timeoutMs: 300 })
    assert.include(Editors.textOf(failed), "timed out after 300ms. Raise the limit: `timeoutMs`")
  })

  test.live("has one limit for both answers (editors 003.22)", function* () {
    let count = 0
    const model: Model = (params, signal) =>
      count++ === 0 ? Promise.resolve(wrote("no JSON")) : silent().model(params, signal)
    const { call } = yield* begin(model, "http", { timeout: Duration.millis(300) })
    assert.deepInclude(Editors.errorOf(yield* call("command.executeNatural", castle)), { code: "OPERATION_TIMEOUT" })
  })

  test.live.each(FrontClients.fronts)(
    "over %s cancels its request to the client when the client cancels the call (editors 003.22)",
    function* (front) {
      const { model, seen } = silent()
      const { applied, asked, call } = yield* begin(model, front)
      const calling = yield* Effect.forkChild(call("command.executeNatural", castle))
      yield* eventually(() => asked.length === 1)
      yield* Fiber.interrupt(calling)
      yield* eventually(() => seen.isCancelled)
      assert.notStrictEqual((yield* call("command.apply", { steps })).isError, true)
      assert.lengthOf(applied(), 1)
    },
  )
})
