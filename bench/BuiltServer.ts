/**
 * Bundled servers, each in its own process.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { echo } from "./clients/Client.ts"

const loopsmith = fileURLToPath(new URL("../packages/loopsmith/bin/loopsmith.js", import.meta.url))
const editorServer = fileURLToPath(new URL("../packages/editor-server/dist/zain-editor-mcp.js", import.meta.url))

/** Loaded into a process before its program, to report its usage. */
export const probe = ["--import", new URL("probe.mjs", import.meta.url).href]

/** The usage of a process: CPU in µs, and resident memory in bytes. */
export interface Usage {
  readonly cpu: number
  readonly resident: number
}

/** The current usage of a process with the probe. */
export const usageOf = async (child: ChildProcess): Promise<Usage> => {
  const answer = once(child, "message")
  child.send("usage")
  const [{ cpu, resident }] = (await answer) as [{ readonly cpu: NodeJS.CpuUsage; readonly resident: number }]
  return { cpu: cpu.user + cpu.system, resident }
}

/** Sends one request as a line, and parses the line that answers it. */
export type Ask = (method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>

export interface BuiltServer {
  /** Connects an initialized client; over stdio only one. */
  readonly connect: () => Promise<Client>
  /** Sends bare messages over stdio, one at a time, instead of a client. */
  readonly lines: () => Promise<Ask>
  /** The usage of the server, which must have been started with a probe. */
  readonly usage: () => Promise<Usage>
  readonly end: () => Promise<void>
}

export type Door = "stdio" | "ws"

/** `hasProbe`: whether it reports its usage. */
export interface BuiltOptions {
  readonly hasProbe?: boolean
}

/** Starts `loopsmith serve` with the mock judge. */
export const startLoopSmith = async (door: Door, options: BuiltOptions = {}): Promise<BuiltServer> => {
  const listens = door === "stdio" ? [] : ["--port", "0", "--json"]
  const child = start(loopsmith, ["serve", door, "--judge", "mock", ...listens], options)
  const url = door === "stdio" ? undefined : await listening(child)
  return serverOf(child, () =>
    url === undefined ? overStdio(child) : connected(new WebSocketClientTransport(new URL(url))),
  )
}

/** Starts `zain-editor-mcp` over stdio, for the editor that `--editor` names. */
export const startEditorServer = async (
  profile: string,
  editor: string,
  options: BuiltOptions = {},
): Promise<BuiltServer> => {
  const child = start(editorServer, [profile, "--editor", editor], options)
  return serverOf(child, () => overStdio(child))
}

const start = (program: string, args: ReadonlyArray<string>, { hasProbe = false }: BuiltOptions) => {
  return spawn(process.execPath, [...(hasProbe ? probe : []), program, ...args], {
    stdio: ["pipe", "pipe", "ignore", ...(hasProbe ? (["ipc"] as const) : [])],
  })
}

/** The neutral server over stdio, for comparison. */
export const startEcho = async (): Promise<BuiltServer> => {
  const child = spawn(echo.command, echo.args, { stdio: ["pipe", "pipe", "ignore"] })
  return serverOf(child, () => overStdio(child))
}

const serverOf = (child: ChildProcess, connect: BuiltServer["connect"]): BuiltServer => ({
  connect,
  lines: () => overLines(child),
  usage: () => usageOf(child),
  end: async () => {
    const exit = once(child, "exit")
    child.kill("SIGTERM")
    await exit
  },
})

const out = ({ stdout }: ChildProcess) => stdout as NonNullable<ChildProcess["stdout"]>

const listening = async (child: ChildProcess): Promise<string> => {
  for await (const line of createInterface({ input: out(child) })) {
    out(child).resume()
    return (JSON.parse(line) as { readonly url: string }).url
  }
  throw new Error("the server ended before it listened")
}

const connected = async (transport: Transport): Promise<Client> => {
  const client = new Client({ name: "bench", version: "1" })
  await client.connect(transport)
  return client
}

/** The SDK's transport for a server's own pipes serves the other end of them as well. */
const overStdio = (child: ChildProcess) =>
  connected(new StdioServerTransport(out(child), child.stdin as NonNullable<ChildProcess["stdin"]>))

const overLines = async (child: ChildProcess): Promise<Ask> => {
  const pieces: Array<Buffer> = []
  let id = 0
  let take: (answer: { readonly id?: number; readonly result?: unknown }) => void = () => {}
  out(child).on("data", (chunk: Buffer) => {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...pieces.splice(0), chunk.subarray(from, end)])
      from = end + 1
      take(JSON.parse(line.toString()))
    }
    pieces.push(chunk.subarray(from))
  })
  const write = (message: object) => child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const ask: Ask = (method, params) =>
    new Promise((resolve) => {
      const own = ++id
      take = (answer) => {
        if (answer.id === own) resolve(answer.result)
      }
      write({ id: own, method, params })
    })
  const clientInfo = { name: "bench", version: "1" }
  await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo })
  write({ method: "notifications/initialized" })
  return ask
}
