/**
 * Sessions: opening, closing, many open ones, and leaks.
 */
import { spawnSync } from "node:child_process"
import type { Session } from "../clients/Client.ts"
import { ours } from "../clients/Ours.ts"
import { sdk } from "../clients/Sdk.ts"
import type { Row } from "../Row.ts"
import { contestant, http, type Job, type Place, part, sequential, stdio, three } from "./Contestants.ts"

const openAndClose: Job = async (client, scale) => {
  const units = part(200, scale)
  return {
    block: async () => {
      for (let done = 0; done < units; done++) await (await client.open()).close()
      return { units }
    },
  }
}

export const opening: Row = {
  name: "http-open-close",
  title: "Opening and closing a session over Streamable HTTP",
  unit: "session",
  metric: "cpu",
  aim: { of: "ratio", most: 0.4 },
  times: { rounds: 3, blocks: 7, warmUp: 2 },
  contestants: three(http("json"), openAndClose),
  note:
    "All clients send initialize, initialized and DELETE. The SDK does not send the DELETE on `close`; here " +
    "`terminateSession` does. It also requests a stream with GET, which the server does not offer (405).",
  limit: "The handshake of ours is the SDK's own, so what it costs the SDK's client is in both.",
}

/**
 * Sessions that stay open after a call. An earlier session has loaded everything that is loaded once.
 *
 * @param isBusy whether each has another call, which the server does not answer
 */
const keepOpen =
  (isBusy: boolean): Job =>
  async (client, scale) => {
    const units = part(1_000, scale)
    const all: Array<Session> = []
    const add = async () => {
      const session = await client.open()
      await session.call("Say hello.")
      if (isBusy) session.call("wait").catch(() => {})
      all.push(session)
    }
    await add()
    return {
      block: async () => {
        for (let done = 0; done < units; done++) await add()
        return { units }
      },
      end: async () => {
        for (const session of all) await session.close()
      },
    }
  }

const memoryOf = (name: string, title: string, place: Place, job: Job, note: string): Row => ({
  name,
  title,
  unit: "session",
  metric: "heap",
  aim: { of: "ratio", most: 0.25 },
  times: { rounds: 3, blocks: 1, warmUp: 0 },
  contestants: three(place, job),
  note:
    `${note} Bytes are those of the heap and of external memory after garbage collection. Resident is what the ` +
    "process has grown by, with all that the engine has taken and not given back.",
  limit:
    "A session of ours holds a client of the SDK too, which answers what a server may ask at any time; what that holds " +
    "is in both.",
})

export const memory: Row = memoryOf(
  "http-memory",
  "Memory of a session over Streamable HTTP, 1,000 open",
  http("json"),
  keepOpen(false),
  "The server offers no stream of its own.",
)

export const memoryWithStream: Row = memoryOf(
  "http-memory-stream",
  "Memory of a session over Streamable HTTP, 1,000 open, the server offering a stream",
  http("open"),
  keepOpen(false),
  "The SDK asks every server for that stream and keeps a connection open for it; ours does not ask.",
)

export const memoryWhileBusy: Row = memoryOf(
  "http-memory-busy",
  "Memory of a session over Streamable HTTP, 1,000 waiting for an answer",
  http("sse"),
  keepOpen(true),
  "Every session has a call whose event stream is open, so everyone has a connection for each.",
)

const growth = (name: string, title: string, place: Place): Row => ({
  name,
  title,
  unit: "call",
  metric: "heap",
  aim: { of: "value", most: 0.5 },
  times: { rounds: 1, blocks: 2, warmUp: 1 },
  contestants: [
    contestant("ours", ours, place, sequential(50_000)),
    contestant("bare SDK", sdk, place, sequential(50_000)),
  ],
  note: "Growth of the heap and of external memory over a block of 50,000 calls, after garbage collection.",
})

export const stdioGrowth: Row = growth("stdio-growth", "What stays after 50,000 calls over stdio", stdio)
export const httpGrowth: Row = growth("http-growth", "What stays after 50,000 calls over HTTP", http("json"))

const canLook = process.platform !== "win32"

/** The running echo servers of this process. */
const alive = (): ReadonlyArray<string> =>
  spawnSync("ps", ["-A", "-o", "ppid=,args="], { encoding: "utf8" })
    .stdout.split("\n")
    .filter((line) => line.trim().startsWith(`${process.pid} `) && line.includes("echo-server.mjs"))

const atOnce: Job = async (client, scale) => {
  const units = part(50, scale)
  const first = await client.open()
  if (canLook && alive().length !== 1) throw new Error("the server that was just started was not found")
  await first.close()
  return {
    block: async () => {
      const sessions = await Promise.all(Array.from({ length: units }, () => client.open()))
      await Promise.all(sessions.map((session) => session.call("Say hello.")))
      await Promise.all(sessions.map((session) => session.close()))
      return { units }
    },
    check: async () => {
      const left = canLook ? alive() : []
      if (left.length > 0) throw new Error(`${left.length} of ${units} servers have not ended`)
    },
  }
}

export const fifty: Row = {
  name: "stdio-50-at-once",
  title: "50 sessions over stdio at once: open, one call, close",
  unit: "session",
  metric: "wall",
  aim: { of: "ratio", most: 1 },
  times: { rounds: 2, blocks: 4, warmUp: 1 },
  allCores: true,
  contestants: three(stdio, atOnce),
  note: "After every block no server is alive: the bench fails if one is. Most of the time is the start of 50 servers.",
  limit:
    "Ours starts every server in a process group of its own, and at the end proves from the table of processes that " +
    "no process of it is left, grandchildren included. The SDK waits for the server alone.",
}
