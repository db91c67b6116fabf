/**
 * The contestants of most rows.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { setup } from "../../scripts/bundle-commands.ts"
import type { BuiltServer } from "../BuiltServer.ts"
import { type Client, calls, echo, type MakeClient, type Peer } from "../clients/Client.ts"
import { floor as floorClient } from "../clients/Floor.ts"
import { ours as oursClient } from "../clients/Ours.ts"
import { sdk as sdkClient } from "../clients/Sdk.ts"
import { before, beforeRoot, type Contestant, floor, ours, type Run, sdk, type Work } from "../Row.ts"

/** Work over a client, prepared once. `end` needs to end nothing but what it has opened. */
export type Job = (client: Client, scale: number) => Promise<Omit<Run, "end"> & { readonly end?: Run["end"] }>

/** How a contestant gets at its server, and lets it go. */
export type Place = () => Promise<{ readonly peer: Peer; readonly end: () => Promise<unknown> }>

/** A server for each session. */
export const stdio: Place = async () => ({ peer: echo, end: async () => {} })

/** A server for all, as a process of its own, and how it answers. It offers no stream of its own. */
export const http =
  (reply: "json" | "sse"): Place =>
  async () => {
    const file = fileURLToPath(new URL("../echo-http-server.mjs", import.meta.url))
    const child = spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "inherit"] })
    const [port] = await once(child.stdout, "data")
    const end = () => {
      const exit = once(child, "exit")
      child.stdin.end()
      return exit
    }
    return { peer: { transport: "http", url: `http://127.0.0.1:${Number.parseInt(port, 10)}/${reply}` }, end }
  }

/** A contestant with a job. */
export const contestant = (name: string, make: MakeClient, place: Place, job: Job): Contestant => ({
  name,
  start: async (scale) => {
    const { end, peer } = await place()
    const client = await make(peer)
    const run = await job(client, scale)
    return {
      ...run,
      end: async () => {
        await run.end?.()
        await client.end()
        await end()
      },
    }
  },
})

/** Ours as another checkout has it. */
const beforeClient =
  (root: string): MakeClient =>
  async (peer) =>
    (await import(pathToFileURL(resolve(root, "bench/clients/Ours.ts")).href)).ours(peer)

/** Ours, and beside it ours of before, if asked. */
export const oursOf = (place: Place, job: Job): ReadonlyArray<Contestant> => {
  const root = process.env[beforeRoot]
  return [
    contestant(ours, oursClient, place, job),
    ...(root === undefined ? [] : [contestant(before, beforeClient(root), place, job)]),
  ]
}

/** Ours, the bare SDK, the floor. */
export const three = (place: Place, job: Job): ReadonlyArray<Contestant> => [
  ...oursOf(place, job),
  contestant(sdk, sdkClient, place, job),
  contestant(floor, floorClient, place, job),
]

/** The scaled size of a block, at least one. */
export const part = (whole: number, scale: number): number => Math.max(1, Math.round(whole * scale))

/** The prompt of calls whose answer repeats it. */
export const hello = "Say hello."

/** Calls one after the other in one session. */
export const sequential =
  (count: number): Job =>
  async (client, scale) => {
    const session = await client.open()
    const units = part(count, scale)
    const block = async (): Promise<Work> => {
      await calls(session, units, hello)
      return { units }
    }
    return { block, end: async () => void (await session.close()) }
  }

/** Done by the server, on any core. */
export const byServer = { isApart: true, allCores: true } as const

/** A contestant that starts bundled commands. */
export const built = (name: string, run: (scale: number) => Promise<Run>): Contestant => ({
  name,
  start: async (scale) => {
    await setup()
    return run(scale)
  },
})

/** From the start to the answer to `initialize`, without the server's end. */
export const cold = (name: string, begin: () => Promise<BuiltServer>): Contestant =>
  built(name, async () => ({
    block: async () => {
      const started = performance.now()
      const server = await begin()
      await server.connect()
      const wall = (performance.now() - started) * 1_000
      await server.end()
      return { units: 1, apart: { wall } }
    },
    end: async () => {},
  }))
