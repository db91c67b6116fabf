/**
 * A real Blender without a window that serves the bridge, and the official SDK's clients of the editor server for it.
 */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Place } from "../../packages/editor-server/src/infrastructure/link/Target.ts"
import { directory } from "../../packages/process/test/Directory.ts"
import { bridge } from "./Blender.ts"
import * as Programs from "./Programs.ts"

const program = `${Programs.root}/packages/editor-server/dist/zain-editor-mcp.js`

/**
 * Starts Blender, and waits until the bridge listens.
 *
 * - `client`: one more client of `zain-editor-mcp blender`
 * - `files`: the directory of the bridge's files
 * - `place`: where the bridge listens
 */
export const start = Effect.gen(function* () {
  const runtime = yield* directory
  const env = { ...Programs.environment, HOME: runtime, XDG_RUNTIME_DIR: runtime, TMPDIR: runtime }
  const args = ["-b", "--factory-startup", "--python", join(bridge, "zain_bridge", "run.py"), "--", "--code", "on"]
  const bridges = join(runtime, "zain-editors")
  const blender = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn("blender", [...args, "--files", runtime, "--exit-with-parent"], {
        env,
        stdio: ["pipe", "pipe", "ignore"],
      })
      const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
      return { child, ended }
    }),
    ({ child, ended }) =>
      Effect.andThen(
        Effect.sync(() => child.kill("SIGKILL")),
        Effect.promise(() => ended),
      ),
  )
  yield* Effect.callback<void>((resume) => {
    createInterface({ input: blender.child.stdout }).on("line", (line) => {
      if (line.startsWith("zain-bridge ")) resume(Effect.void)
    })
  })
  const found = JSON.parse(readFileSync(join(bridges, `${blender.child.pid}.json`), "utf8"))
  const place: Place = { host: "127.0.0.1", port: found.port, token: Redacted.make(found.token) }
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
  return { blender: blender.child, client, files: runtime, place }
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
