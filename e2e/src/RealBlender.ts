/**
 * The official SDK's clients of the editor server before a real Blender.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Place } from "../../packages/editor-server/src/infrastructure/link/Target.ts"
import * as HeadlessBlender from "../../packages/editor-server/test/blender/HeadlessBlender.ts"
import * as Programs from "./Programs.ts"

const program = `${Programs.root}/packages/editor-server/dist/zain-editor-mcp.js`

/**
 * Starts Blender, and waits until the bridge listens.
 *
 * - `where`: the variables by which `zain-editor-mcp blender` finds it
 * - `client`: one more client of `zain-editor-mcp blender`
 * - `files`: the directory of the bridge's files
 * - `place`: where the bridge listens
 */
export const start = Effect.gen(function* () {
  const { blender, env: found, port, token } = yield* HeadlessBlender.start
  const env = { ...found, ...Programs.environment }
  const where = { XDG_RUNTIME_DIR: found.XDG_RUNTIME_DIR }
  const place: Place = { host: "127.0.0.1", port, token: Redacted.make(token) }
  const client = Effect.gen(function* () {
    const sdk = new Client({ name: "by sdk", version: "1" })
    const transport = new StdioClientTransport({ command: process.execPath, args: [program, "blender"], env })
    yield* Effect.acquireRelease(
      Effect.promise(() => sdk.connect(transport)),
      () => Effect.promise(() => sdk.close()),
    )
    const call = (name: string, args: Record<string, unknown>) =>
      Effect.promise(async (signal) => {
        const options = { signal, timeout: 240_000 }
        return (await sdk.callTool({ name, arguments: args }, undefined, options)) as CallToolResult
      })
    return { sdk, call }
  })
  return { blender, client, files: found.HOME, place, where }
})

export const textOf = ({ content }: CallToolResult): string =>
  content.map((one) => (one.type === "text" ? one.text : "")).join("\n")

/** The width and the height of the pictures of a result: those that are PNG. */
export const sizesOf = ({ content }: CallToolResult): ReadonlyArray<readonly [number, number]> =>
  content.flatMap((one) => {
    if (one.type !== "image") return []
    const bytes = Buffer.from(one.data, "base64")
    return bytes.subarray(1, 4).toString() === "PNG" ? [[bytes.readUInt32BE(16), bytes.readUInt32BE(20)] as const] : []
  })
