import { fileURLToPath } from "node:url"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { CodexMcpClientAdapter } from "@zain/codex-client"
import { McpConnectionConfig } from "@zain/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { compare, type Figure } from "./Measure.ts"

const command = process.execPath
const args = [fileURLToPath(new URL("echo-server.mjs", import.meta.url))]
const prompt = "Say hello."

const scope = Scope.makeUnsafe()
const client = await Effect.runPromise(Scope.provide(CodexMcpClientAdapter.make(), scope))
const session = await Effect.runPromise(client.openSession(McpConnectionConfig.stdio({ command, args })))

const sdk = new Client({ name: "bench", version: "0" })
await sdk.connect(new StdioClientTransport({ command, args }))

const { ours, ratio, theirs } = await compare(
  { blocks: 21, calls: 1_000 },
  () => Effect.runPromise(client.execute(session, { content: prompt })),
  () => sdk.callTool({ name: "codex", arguments: { prompt } }),
)

const show = ({ max, median, min }: Figure, digits: number) =>
  `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`
const row = (...cells: ReadonlyArray<string>) =>
  console.log(cells.map((cell, index) => cell.padEnd(index === 0 ? 44 : 26)).join(""))

console.log("One sequential call over stdio, medians of 21 interleaved blocks of 1,000 calls (least to most)\n")
row("", "CPU, µs a call", "wall, µs a call")
row("execute, through the Codex adapter", show(ours.cpu, 1), show(ours.wall, 1))
row("callTool of the bare SDK client", show(theirs.cpu, 1), show(theirs.wall, 1))
row("ratio", show(ratio.cpu, 2), show(ratio.wall, 2))

await sdk.close()
await Effect.runPromise(Scope.close(scope, Exit.void))
