/**
 * Sessions: opening and closing, many at once, and memory that stays.
 */
import { spawnSync } from "node:child_process"
import type { Session } from "../clients/Client.ts"
import { ours } from "../clients/Ours.ts"
import { sdk } from "../clients/Sdk.ts"
import { floor, type Row } from "../Row.ts"
import { contestant, http, type Job, type Place, part, sequential, stdio, three } from "./Contestants.ts"

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
  aim: { of: "ratio", most: 1.6, over: floor },
  times: { rounds: 2, blocks: 5, warmUp: 1 },
  contestants: three(stdio, openAndClose(20)),
  note: "Each session starts a process and ends it, of which the client's own CPU is measured.",
}

export const opening: Row = {
  name: "http-open-close",
  title: "Open and close over HTTP",
  unit: "session",
  metric: "cpu",
  aim: { of: "ratio", most: 0.4 },
  times: { rounds: 3, blocks: 7, warmUp: 2 },
  contestants: three(http("json"), openAndClose(200)),
  note:
    "All send initialize, initialized and DELETE. The SDK does not send the DELETE on `close`; here `terminateSession` " +
    "sends it. The SDK also requests a stream with GET, which the server does not offer (405).",
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
  limit: "A session of ours contains a client of the SDK, which answers requests of the server; its memory is in both.",
})

export const memory: Row = memoryOf(
  "http-memory",
  "1,000 open sessions over HTTP",
  http("json"),
  keepOpen(false),
  "The server offers no stream of its own.",
)

export const memoryWithStream: Row = memoryOf(
  "http-memory-stream",
  "1,000 open sessions, server stream",
  http("open"),
  keepOpen(false),
  "The SDK requests that stream and keeps a connection open for it; ours requests it only during a call.",
)

export const memoryWhileBusy: Row = memoryOf(
  "http-memory-busy",
  "1,000 busy sessions over HTTP",
  http("sse"),
  keepOpen(true),
  "Every session has a call whose event stream is open, so all contestants have a connection for each.",
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

export const stdioGrowth: Row = growth("stdio-growth", "Growth per call over stdio", stdio)
export const httpGrowth: Row = growth("http-growth", "Growth per call over HTTP", http("json"))

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
  title: "50 sessions over stdio: open, call, close",
  unit: "session",
  metric: "wall",
  aim: { of: "ratio", most: 1 },
  times: { rounds: 2, blocks: 4, warmUp: 1 },
  allCores: true,
  contestants: three(stdio, atOnce),
  note: "After every block no server is alive: the bench fails if one is. Most of the time is the start of 50 servers.",
  limit:
    "Ours starts every server in its own process group, and at the end verifies in the process table that no process " +
    "of it is left, grandchildren included. The SDK waits for the server alone.",
}
