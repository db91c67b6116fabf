/**
 * The command `loopsmith serve` as users have it: bundled, a process of its own, with the mock judge.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, globSync, statSync } from "node:fs"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { echo } from "./clients/Client.ts"

const packages = fileURLToPath(new URL("../packages", import.meta.url))
const home = `${packages}/loopsmith`
const program = `${home}/bin/loopsmith.js`

/** Bundles the command, unless that was done since anybody changed what it is made of. */
export const build = (): void => {
  const changed = (path: string) => statSync(path).mtimeMs
  const newest = Math.max(...globSync(`${packages}/*/src/**/*.ts`).map(changed))
  if (existsSync(program) && changed(program) > newest) return
  execFileSync("pnpm", ["exec", "tsup"], { cwd: home, stdio: ["ignore", "ignore", "inherit"] })
}

/** What a process has used: microseconds of CPU, and the bytes of it that are in memory. */
export interface Usage {
  readonly cpu: number
  readonly resident: number
}

/** One client of a server: a question and its answer, one at a time. */
export type Ask = (method: string, params: object) => Promise<unknown>

/**
 * - `connect`: a client, before it has said anything; over stdio the only one
 * - `usage`: of the server; only of one that has been started with a probe
 */
export interface LoopSmithServer {
  readonly connect: () => Promise<Ask>
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
  return serverOf(child, () => (url === undefined ? overStdio(child) : overWebSocket(url)))
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

/** Puts questions by `send`; `heard` is to be told of every text that comes back. */
const asking = (send: (text: string) => void): { readonly ask: Ask; readonly heard: (text: string) => void } => {
  let resume = (_: unknown) => {}
  let id = 0
  return {
    ask: (method, params) => {
      const answer = new Promise((resolve) => {
        resume = resolve
      })
      send(JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }))
      return answer
    },
    heard: (text) => {
      const message = JSON.parse(text)
      if (message.id !== id) return
      if (message.error !== undefined) throw new Error(message.error.message)
      resume(message.result)
    },
  }
}

const overStdio = async (child: ChildProcess): Promise<Ask> => {
  const { ask, heard } = asking((text) => child.stdin?.write(`${text}\n`))
  createInterface({ input: out(child) }).on("line", heard)
  return ask
}

const overWebSocket = async (url: string): Promise<Ask> => {
  const socket = new WebSocket(url, "mcp")
  const { ask, heard } = asking((text) => socket.send(text))
  socket.addEventListener("message", ({ data }) => heard(data))
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve)
    socket.addEventListener("error", () => reject(new Error(`${url} let nobody in`)))
  })
  return ask
}

/** What every client says first. */
export const initialize = (ask: Ask): Promise<unknown> =>
  ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  })
