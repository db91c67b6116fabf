/**
 * Sessions: opening and closing, many at once, and memory that stays.
 */
import { spawnSync } from "node:child_process"
import type { Client, Session } from "../clients/Client.ts"
import { floorAnew } from "../clients/Floor.ts"
import { ours } from "../clients/Ours.ts"
import { sdk as sdkClient } from "../clients/Sdk.ts"
import { type Row, sdk } from "../Row.ts"
import { inManySessions } from "./Calls.ts"
import { contestant, hello, http, type Job, type Place, part, sequential, stdio, three } from "./Contestants.ts"

const openAndClose =
  (count: number): Job =>
  async (client, scale) => {
    const units = part(count, scale)
    return {
      block: async () => {
        for (let done = 0; done < units; done++) await (await client.open()).close()
        return { units }
      },
    }
  }

export const openingStdio: Row = {
  name: "stdio-open-close",
  title: "Open and close over stdio",
  unit: "session",
  metric: "cpu",
  aim: { of: "ratio", max: 1.6 },
  times: { rounds: 2, blocks: 5, warmUp: 1 },
  contestants: three(stdio, openAndClose(20)),
  note: "Each session starts a process and ends it, of which the client's own CPU is measured.",
  limit:
    "What ours has more is a private directory for temporary files (0.12 of the floor) and the search for processes that the " +
    "server has left (0.22). Without both it is 1.3 to 1.5. Promise 11 (no process outlives its session) and the private directory need them.",
}

export const opening: Row = {
  name: "http-open-close",
  title: "Open and close over HTTP",
  unit: "session",
  metric: "cpu",
  aim: { of: "ratio", max: 1.4 },
  times: { rounds: 3, blocks: 7, warmUp: 2 },
  contestants: three(http("json"), openAndClose(200)),
  note:
    "All send initialize, initialized and DELETE. The SDK does not send the DELETE on `close`; here `terminateSession` " +
    "sends it. The SDK also requests a stream with GET, which the server does not offer (405).",
  limit:
    "The aim is that of a floor on which the SDK was 3.3; over this one the SDK is 8, which makes it 3.4. The profile is flat: " +
    "garbage 18 %, Effect 19, writes 14 to 31, undici 9, ours 16.",
}

/** Opens sessions one after the other. */
const opened = async (client: Client, count: number): Promise<ReadonlyArray<Session>> => {
  const all: Array<Session> = []
  while (all.length < count) all.push(await client.open())
  return all
}

/** Calls once in each session, one after the other. */
const callEach = async (sessions: ReadonlyArray<Session>) => {
  for (const session of sessions) await session.call(hello)
}

const closeEach = async (sessions: ReadonlyArray<Session>) => {
  for (const session of sessions) await session.close()
}

/** Sessions that stay open. An earlier session has loaded everything that is loaded once. */
const keepOpen: Job = async (client, scale) => {
  const units = part(1_000, scale)
  const all = [...(await opened(client, 1))]
  await callEach(all)
  return {
    block: async () => {
      all.push(...(await opened(client, units)))
      return { units }
    },
    end: () => closeEach(all),
  }
}

export const memory: Row = {
  name: "http-memory",
  title: "1,000 open sessions over HTTP",
  unit: "session",
  metric: "resident",
  aim: { of: "value", max: 45 * 2 ** 10 },
  short: 72 * 2 ** 10,
  times: { rounds: 3, blocks: 1, warmUp: 0 },
  contestants: three(http("json"), keepOpen),
  note: "What the process has grown by, with all that the engine has taken and not given back. The sessions have made no call.",
}

/** The CPU time of this process so far, in µs. */
const cpu = () => {
  const { system, user } = process.cpuUsage()
  return system + user
}

/** The CPU time of work, in µs. */
const cpuOf = async (work: () => Promise<unknown>) => {
  const before = cpu()
  await work()
  return cpu() - before
}

const anew = "floor, new connection"

const firstCalls: Job = async (client, scale) => {
  const units = part(1_000, scale)
  return {
    block: async () => {
      const all = await opened(client, units)
      const spent = await cpuOf(() => callEach(all))
      await closeEach(all)
      return { units, apart: { cpu: spent } }
    },
  }
}

export const firstCall: Row = {
  name: "http-first-call",
  title: "First call of each of 1,000 sessions over HTTP",
  unit: "call",
  metric: "cpu",
  aim: { of: "ratio", max: 1, over: anew },
  short: 3,
  times: { rounds: 2, blocks: 5, warmUp: 1 },
  contestants: [...three(http("json"), firstCalls), contestant(anew, floorAnew, http("json"), firstCalls)],
  note:
    "The sessions are opened before and closed after, outside of what is measured. A prompt is sent at most once, so ours opens " +
    "a connection for it: a server may end an idle one while it is written.",
  limit:
    "To use the connection that has answered another session's call was tried and is faster, but then cancelling one session's " +
    "turn closes the connection by which the server knows that the other's client is there.",
}

const growth = (name: string, title: string, place: Place): Row => ({
  name,
  title,
  unit: "call",
  metric: "heap",
  aim: { of: "value", max: 0.5 },
  times: { rounds: 1, blocks: 2, warmUp: 1 },
  contestants: [
    contestant("ours", ours, place, sequential(50_000)),
    contestant(sdk, sdkClient, place, sequential(50_000)),
  ],
  note: "Growth of the heap and of external memory over a block of 50,000 calls, after garbage collection.",
})

export const stdioGrowth: Row = growth("stdio-growth", "Growth per call over stdio", stdio)
export const httpGrowth: Row = growth("http-growth", "Growth per call over HTTP", http("json"))

const canLook = process.platform !== "win32"

/** The running echo servers of this process. */
const alive = (): ReadonlyArray<string> =>
  spawnSync("ps", ["-A", "-o", "ppid=,args="], { encoding: "utf8" })
    .stdout.split("\n")
    .filter((line) => line.trim().startsWith(`${process.pid} `) && line.includes("echo-server.mjs"))

/** Sessions opened, called once and closed at once; of these the CPU of the calls and the time of closing are measured. */
const atOnce =
  (unit: "call" | "round"): Job =>
  async (client, scale) => {
    const count = part(50, scale)
    const first = await client.open()
    if (canLook && alive().length !== 1) throw new Error("the server that was just started was not found")
    await first.close()
    return {
      block: async () => {
        const sessions = await Promise.all(Array.from({ length: count }, () => client.open()))
        const spent = await cpuOf(() => Promise.all(sessions.map((session) => session.call(hello))))
        const closing = performance.now()
        await Promise.all(sessions.map((session) => session.close()))
        const wall = (performance.now() - closing) * 1_000
        return { units: unit === "call" ? count : 1, apart: { cpu: spent, wall } }
      },
      check: async () => {
        const left = canLook ? alive() : []
        if (left.length > 0) throw new Error(`${left.length} of ${count} servers have not ended`)
      },
    }
  }

const fifty = {
  times: { rounds: 2, blocks: 4, warmUp: 1 },
  allCores: true,
  isApart: true,
  note: "Each session starts a process. After every block no server is alive: the bench fails if one is.",
} as const

export const fiftyCalls: Row = {
  ...fifty,
  name: "stdio-50-calls",
  title: "50 new sessions over stdio: one call each",
  unit: "call",
  metric: "cpu",
  aim: { of: "ratio", max: 1.6 },
  contestants: three(stdio, atOnce("call")),
  limit: inManySessions,
}

export const fiftyEnds: Row = {
  ...fifty,
  name: "stdio-50-close",
  title: "50 sessions over stdio: close all",
  unit: "round",
  metric: "wall",
  // 15 ms beside 10 ms of the SDK.
  aim: { of: "ratio", max: 1.5, over: sdk },
  contestants: three(stdio, atOnce("round")),
  limit:
    "Ours starts every server in its own process group, and at the end verifies in the process table that no process " +
    "of it is left, grandchildren included. The SDK waits for the server alone.",
}
