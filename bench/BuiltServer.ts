/**
 * The command `loopsmith serve` as users have it: bundled, a process of its own, with the mock judge.
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

const program = fileURLToPath(new URL("../packages/loopsmith/bin/loopsmith.js", import.meta.url))

/** What a process has used: microseconds of CPU, and the bytes of it that are in memory. */
export interface Usage {
  readonly cpu: number
  readonly resident: number
}

/**
 * - `connect`: a client that has had the answer to `initialize`; over stdio the only one
 * - `usage`: of the server; only of one that has been started with a probe
 */
export interface LoopSmithServer {
  readonly connect: () => Promise<Client>
  readonly usage: () => Promise<Usage>
  readonly end: () => Promise<void>
}

export type Door = "stdio" | "ws"

/** Starts one. `hasProbe`: whether it can tell its usage. */
export const start = async (door: Door, { hasProbe = false } = {}): Promise<LoopSmithServer> => {
  const listens = door === "stdio" ? [] : ["--port", "0", "--json"]
  const probe = hasProbe ? ["--import", new URL("probe.mjs", import.meta.url).href] : []
  const child = spawn(process.execPath, [...probe, program, "serve", door, "--judge", "mock", ...listens], {
    stdio: ["pipe", "pipe", "ignore", ...(hasProbe ? (["ipc"] as const) : [])],
  })
  const url = door === "stdio" ? undefined : await listening(child)
  return serverOf(child, () =>
    url === undefined ? overStdio(child) : connected(new WebSocketClientTransport(new URL(url))),
  )
}

/** The neutral server over stdio, in the place of ours. */
export const startEcho = async (): Promise<LoopSmithServer> => {
  const child = spawn(echo.command, echo.args, { stdio: ["pipe", "pipe", "ignore"] })
  return serverOf(child, () => overStdio(child))
}

const serverOf = (child: ChildProcess, connect: LoopSmithServer["connect"]): LoopSmithServer => ({
  connect,
  usage: async () => {
    const answer = once(child, "message")
    child.send("usage")
    const [{ cpu, resident }] = (await answer) as [{ readonly cpu: NodeJS.CpuUsage; readonly resident: number }]
    return { cpu: cpu.user + cpu.system, resident }
  },
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
