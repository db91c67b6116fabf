/**
 * Tools of a client's own, with any client.
 */
import { assert, describe, it } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { until } from "../../tool-server/testing/InMemory.ts"
import * as ClientTools from "../src/ClientTools.ts"
import { open } from "../testing/Clients.ts"

const add = { name: "add", description: "Adds.", inputSchema: { type: "object" } }
const capabilities = { experimental: { "zain/tools": {} } }
const beside = (tools: unknown) => ({ "zain/tools": tools })
const prompt = 'call add {"a":1}'

describe("a tool of the client's own", () => {
  test("is not offered without the capability, and has no effect on other turns", function* () {
    for (const options of [{}, { capabilities }]) {
      const { agent, client } = yield* open(options)
      const { structuredContent } = yield* client.call(
        "memory",
        { prompt },
        options.capabilities === undefined ? beside([add]) : {},
      )
      const none = '{"text":"The client has no such tool in this turn.","isError":true}'
      assert.deepInclude(structuredContent, { content: none })
      assert.deepStrictEqual([agent.seen.tools, client.asked], [[undefined], []])
    }
  })

  test("is an error of the tool where the client fails, and its turn goes on", function* () {
    const { client } = yield* open({ capabilities })
    const { structuredContent } = yield* client.call("memory", { prompt: `${prompt}\nsay on` }, beside([add]))
    const failed = '{"text":"The client could not call the tool.","isError":true}'
    assert.deepInclude(structuredContent, { content: `${failed}\non` })
  })

  test("is cancelled at the client with its turn", function* () {
    const { client } = yield* open({ capabilities, answer: () => new Promise<never>(() => {}) })
    const call = yield* Effect.forkChild(client.call("memory", { prompt }, beside([add])))
    yield* until(() => client.asked.length === 1)
    yield* Fiber.interrupt(call)
    yield* until(() => client.asked[0]?.signal.aborted === true)
  })

  test.each([
    ["no list", 7, "`tools` must be a list"],
    ["a name with a line break", [{ ...add, name: "a\nb" }], "`tools.0.name` must be 1 to 64 letters"],
    ["no schema", [{ ...add, inputSchema: true }], "`tools.0.input` must describe an object"],
    ["many", Array.from({ length: 65 }, (_, at) => ({ ...add, name: `t${at}` })), "at most 64 members"],
  ] as const)("is refused before a turn for %s", function* ([, tools, message]) {
    const { agent, client } = yield* open({ capabilities })
    const error = yield* Effect.flip(client.call("memory", { prompt }, beside(tools)))
    assert.include(String(error), message)
    assert.deepStrictEqual(agent.seen.tools, [])
  })
})

describe("the tools of a thread's start", () => {
  const kept = (...tools: ClientTools.Tools) => ClientTools.kept(tools)
  const tool = (name: string, description = "It.") => ({ name, description, inputSchema: { type: "object" } })

  it("differ by a new, a missing and a changed one, and not by their order", () => {
    const before = kept(tool("a"), tool("b"))
    assert.isUndefined(ClientTools.difference(before, kept(tool("b"), tool("a"))))
    assert.strictEqual(ClientTools.difference(before, kept(tool("a"))), "`b` is missing")
    assert.strictEqual(ClientTools.difference(before, kept(tool("a"), tool("b"), tool("c"))), "`c` is new")
    assert.strictEqual(ClientTools.difference(before, kept(tool("a"), tool("b", "Other."))), "`b` is another one")
  })
})
