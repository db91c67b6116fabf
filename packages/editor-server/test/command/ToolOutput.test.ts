/**
 * What tools of Blender return, as the official SDK's client validates it against the schemas of the list.
 */
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { toolCalls } from "../../../editor-blender/testing/ToolCalls.ts"

const program = fileURLToPath(new URL("../../dist/zain-editor-mcp.js", import.meta.url))

/** The official SDK's client, which fails by a list with a name that Claude Desktop and OpenAI's API reject. */
const begin = Effect.fnUntraced(function* (...options: ReadonlyArray<string>) {
  const home = yield* directory
  const env = { HOME: home, PATH: process.env["PATH"] ?? "" }
  const args = [program, "blender", "--fake", ...options]
  const sdk = new Client({ name: "strict", version: "1" })
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: "inherit" })
  yield* Effect.acquireRelease(
    Effect.promise(() => sdk.connect(transport)),
    () => Effect.promise(() => sdk.close()),
  )
  const { tools } = yield* Effect.promise(() => sdk.listTools())
  for (const { name } of tools) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
  const call = (name: string, args: Record<string, unknown>) =>
    Effect.promise(() => sdk.callTool({ name, arguments: args }) as Promise<CallToolResult>)
  return { call, sdk, tools }
})

const hasJapanese = (text: string) => /[\u3040-\u30ff\u4e00-\u9fff]/.test(text)

/** Each description and title below a value, with where it stands. */
const texts = (value: unknown, at = ""): ReadonlyArray<readonly [at: string, text: string]> =>
  Object.entries(Object(value)).flatMap(([name, one]): ReadonlyArray<readonly [string, string]> => {
    if (name === "$defs" || name === "items") return []
    if (typeof one !== "string") return texts(one, `${at}/${name}`)
    return name === "description" || name === "title" ? [[`${at}/${name}`, one]] : []
  })

/** Descriptions of tools, arguments, resources and prompts are all in one language. */
const described = Effect.fnUntraced(function* (
  { sdk, tools }: Effect.Success<ReturnType<typeof begin>>,
  isJapanese: boolean,
) {
  const { resources } = yield* Effect.promise(() => sdk.listResources())
  const { resourceTemplates } = yield* Effect.promise(() => sdk.listResourceTemplates())
  const { prompts } = yield* Effect.promise(() => sdk.listPrompts())
  const found = texts({ tools, resources, resourceTemplates, prompts })
  assert.isAbove(found.length, 40)
  for (const [at, text] of found) assert.strictEqual(hasJapanese(text), isJapanese, `${at}: ${text}`)
  const prompt = { name: "createObject", arguments: { primitive: "cube" } }
  const { messages } = yield* Effect.promise(() => sdk.getPrompt(prompt))
  assert.strictEqual(hasJapanese(JSON.stringify(messages)), isJapanese)
})

describe("zain-editor-mcp blender --fake", () => {
  test.live("has descriptions in Japanese with --language ja (editors 003.32)", function* () {
    yield* described(yield* begin("--language", "ja"), true)
  })

  test.live(
    "has descriptions in English otherwise; a result has success, for a client that accepts the names of Claude Desktop and OpenAI's API only, and the same JSON as text and as structuredContent, which fits the schema of the list, and so has a failure (editors 003.32, 003.33)",
    function* () {
      const client = yield* begin()
      const { call, tools } = client
      yield* described(client, false)
      assert.deepStrictEqual(
        tools.map(({ name, outputSchema }) => [name, outputSchema?.required]).sort(),
        toolCalls.map(([name]) => [name, ["success"]]).sort(),
      )
      for (const [name, args, wrong] of toolCalls) {
        const { content, isError, structuredContent } = yield* call(name, args)
        const [first] = content
        assert.isUndefined(isError, `${name}: ${JSON.stringify(content).slice(0, 400)}`)
        assert.deepStrictEqual(JSON.parse(first?.type === "text" ? first.text : ""), structuredContent)
        assert.strictEqual(structuredContent?.["success"], true)
        const known = Object.keys(tools.find((tool) => tool.name === name)?.outputSchema?.properties ?? {})
        assert.includeMembers(known, Object.keys(structuredContent ?? {}))
        const failed = yield* call(name, wrong)
        assert.deepStrictEqual([failed.isError, failed.structuredContent?.["success"]], [true, false], name)
      }
    },
  )
})
