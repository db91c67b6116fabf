/**
 * The tools of a server, and the checks of their arguments.
 */
import { assert, describe } from "@effect/vitest"
import { ErrorCode, type McpError } from "@modelcontextprotocol/sdk/types.js"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { open } from "../testing/Clients.ts"

const textOf = (result: { readonly content: ReadonlyArray<object> }) => (result.content[0] as { text: string }).text

describe("the server", () => {
  test("passes the client's options to the agent, and nothing else", function* () {
    const { agent, client } = yield* open()
    const options = { model: "m", sandbox: "read-only", config: { "a.b": [1] } }
    yield* client.call("memory", { prompt: "say hello", ...options })
    yield* client.call("memory", { prompt: "say hello" })
    assert.deepStrictEqual(agent.seen.started, [options, {}] as typeof agent.seen.started)
  })

  test("passes options beside a thread to the agent, or returns the refusal", function* () {
    const { agent, client } = yield* open()
    const { structuredContent } = yield* client.call("memory", { prompt: "say hello", model: "m" })
    const { threadId } = structuredContent as { readonly threadId: string }
    yield* client.call("memory-reply", { threadId, prompt: "say on" })
    yield* client.call("memory-reply", { threadId, prompt: "say on", sandbox: "read-only" })
    assert.deepStrictEqual(agent.seen.beside, [undefined, undefined, { sandbox: "read-only" }])
    const refused = yield* Effect.flip(client.call("memory-reply", { threadId, prompt: "refuse option-refused" }))
    const { code, data } = refused as McpError
    assert.deepStrictEqual(
      [code, data],
      [ErrorCode.InvalidParams, { "zain/delivery": "not-sent", "zain/option": "base-x" }],
    )
  })

  const wrong: ReadonlyArray<readonly [what: string, tool: string, args: unknown, said: ReadonlyArray<string>]> = [
    ["an unknown value", "memory", { prompt: "go", sandbox: "yolo" }, ["`sandbox`", '"read-only"']],
    ["a value of another type", "memory", { prompt: "go", model: 3 }, ["`model`", "expected a string"]],
    [
      "an unknown argument",
      "memory",
      { prompt: "go", nope: 1 },
      ["`nope` is not known", "prompt, outputSchema, images, model"],
    ],
    ["a schema that is none", "memory", { prompt: "go", outputSchema: { type: "x" } }, ["`outputSchema.type` is not"]],
    [
      "an image that is none",
      "memory",
      { prompt: "go", images: ["data:image/png;base64,AAAA"] },
      ["`images.0` is not"],
    ],
    [
      "an image elsewhere",
      "memory",
      { prompt: "go", images: ["https://a.example/a.png"] },
      ["`images.0` is not a data"],
    ],
    ["no prompt", "memory", {}, ["`prompt` is missing"]],
    ["no arguments at all", "memory", undefined, ["`prompt` is missing"]],
    ["an empty prompt", "memory", { prompt: "" }, ["`prompt` is empty"]],
    ["a prompt that is not a string", "memory", { prompt: ["go"] }, ["`prompt`", "expected a string"]],
    ["an empty prompt for a thread", "memory-reply", { threadId: "t", prompt: "" }, ["`prompt` is empty"]],
    ["a reply without a thread", "memory-reply", { prompt: "go" }, ["`threadId` is missing"]],
    [
      "an invalid option beside a thread",
      "memory-reply",
      { threadId: "t", prompt: "go", model: 3 },
      ["`model`", "expected a string"],
    ],
    [
      "an unknown option beside a thread",
      "memory-reply",
      { threadId: "t", prompt: "go", nope: 1 },
      ["`nope`", "threadId, conv"],
    ],
    [
      "a NUL in an option beside a thread",
      "memory-reply",
      { threadId: "t", prompt: "go", model: "a\0" },
      ["`model` holds a NUL"],
    ],
    ["a NUL in a text", "memory", { prompt: "go", model: "a\0" }, ["`model` holds a NUL character."]],
    ["a NUL deep in a value", "memory", { prompt: "go", config: { a: ["\0"] } }, ["`config.a.0` holds a NUL"]],
    ["a NUL in a key", "memory", { prompt: "go", config: { a: { "b\0": 1 } } }, ["`config.a` holds a NUL"]],
    ["a key of every object's prototype", "memory", { prompt: "go", constructor: 1 }, ["`constructor` is not known"]],
  ]
  for (const [what, tool, args, said] of wrong) {
    test(`returns an error with the path for ${what}, and starts nothing`, function* () {
      const { agent, client } = yield* open()
      const result = yield* client.call(tool, args)
      assert.isTrue(result.isError)
      for (const part of said) assert.include(textOf(result), part)
      assert.notInclude(textOf(result), "yolo")
      assert.strictEqual(agent.seen.attachments, 0)
    })
  }

  test("ignores keys of prototypes (promise 24)", function* () {
    const { client } = yield* open()
    const args: unknown = JSON.parse('{"prompt":"say hello","config":{"__proto__":{"polluted":true}}}')
    const result = yield* client.call("memory", args)
    assert.notStrictEqual(result.isError, true)
    assert.notProperty({}, "polluted")
    const own: unknown = JSON.parse('{"prompt":"say hello","__proto__":{"model":"polluted"}}')
    yield* client.call("memory", own)
    assert.notProperty({}, "model")
  })
})
