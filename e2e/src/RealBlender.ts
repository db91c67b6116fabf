/**
 * The official SDK's clients of the editor server before a real Blender.
 */

import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import type { Place } from "@zain/editor-link/infrastructure/link/Target"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as HeadlessBlender from "../../packages/editor-blender/testing/HeadlessBlender.ts"
import * as Programs from "./Programs.ts"

const program = `${Programs.root}/packages/editor-server/dist/zain-editor-mcp.js`

/** Makes a server collect its garbage at SIGUSR2, and print its used bytes, on and off the heap. */
const memoryProbe = [
  "--expose-gc",
  "--import",
  'data:text/javascript,process.on("SIGUSR2",()=>{gc();let m=process.memoryUsage();console.error("left "+(m.heapUsed+m.external))})',
]

/**
 * Starts Blender, and waits until the bridge listens.
 *
 * - `where`: the variables by which `zain-editor-mcp blender` finds it
 * - `client`: one more client of `zain-editor-mcp blender`. `memory`: the used bytes of its server after garbage
 *   collection; one call at a time
 * - `files`: the directory of the bridge's files
 * - `place`: the address of the bridge
 * - `running`: waits until Blender runs code
 */
export const start = Effect.gen(function* () {
  const { blender, env: found, port, running, token } = yield* HeadlessBlender.start
  const env = { ...found, ...Programs.environment }
  const where = { XDG_RUNTIME_DIR: found.XDG_RUNTIME_DIR }
  const place: Place = { host: "127.0.0.1", port, token: Redacted.make(token) }
  const client = Effect.gen(function* () {
    const sdk = new Client({ name: "by sdk", version: "1" })
    const transport = new StdioClientTransport({
      command: process.execPath,
      // A busy machine needs longer than the 30 s of the profile.
      args: [...memoryProbe, program, "blender", "--timeout", "4m"],
      env,
      stderr: "pipe",
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => sdk.connect(transport)),
      () => Effect.promise(() => sdk.close()),
    )
    const call = (name: string, args: Record<string, unknown>) =>
      Effect.promise(async (signal) => {
        const options = { signal, timeout: 240_000 }
        return (await sdk.callTool({ name, arguments: args }, undefined, options)) as CallToolResult
      })
    const printed = createInterface({ input: transport.stderr as Readable })
    const memory = Effect.callback<number>((resume) => {
      const read = (line: string) => {
        const [, bytes] = /^left (\d+)$/.exec(line) ?? []
        if (bytes === undefined) return
        printed.off("line", read)
        resume(Effect.succeed(Number(bytes)))
      }
      printed.on("line", read)
      process.kill(Number(transport.pid), "SIGUSR2")
    })
    return { sdk, call, memory }
  })
  return { blender, client, files: found.HOME, place, running, where }
})

export const textOf = ({ content }: CallToolResult): string =>
  content.map((one) => (one.type === "text" ? one.text : "")).join("\n")
