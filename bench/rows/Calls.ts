/**
 * Calls one after the other, and many at once.
 */
import type { Session } from "../clients/Client.ts"
import { floor as floorClient } from "../clients/Floor.ts"
import { ours as oursClient } from "../clients/Ours.ts"
import { sdk as sdkClient } from "../clients/Sdk.ts"
import { ours, type Row } from "../Row.ts"
import { contestant, four, http, type Job, part, sequential, stdio } from "./Contestants.ts"

const prompt = "Say hello."

const oneByOne = "floor, one by one"

/** How many calls are in flight at once. */
const width = 64

/** Parallel calls in as many sessions, because the port allows one call in each. */
const inSessions =
  (count: number): Job =>
  async (client, scale) => {
    const sessions = await Promise.all(Array.from({ length: count }, () => client.open()))
    const lanes = sessions.flatMap((session) => Array<Session>(width / count).fill(session))
    const each = part(100, scale)
    return {
      block: async () => {
        await Promise.all(lanes.map((session) => session.calls(each, prompt)))
        return { units: width * each }
      },
      end: async () => void (await Promise.all(sessions.map((session) => session.close()))),
    }
  }

export const sequentialStdio: Row = {
  name: "stdio-sequential",
  title: "Sequential calls over stdio",
  unit: "call",
  metric: "cpu",
  aim: { of: "ratio", most: 0.5 },
  times: { rounds: 3, blocks: 9, warmUp: 3 },
  contestants: four(stdio, sequential(5_000)),
  limit:
    "Most of a call is the write to the pipe and the wait for the answer, which the floor needs too: the floor's " +
    "ratio to the bare SDK is the least that any client can reach.",
}

export const manyStdio: Row = {
  name: "stdio-64",
  title: "64 concurrent sessions over stdio",
  unit: "call",
  metric: "cpu",
  aim: { of: "ratio", most: 0.3 },
  times: { rounds: 2, blocks: 9, warmUp: 3 },
  contestants: [
    ...four(stdio, inSessions(width)),
    contestant("bare SDK, one session", sdkClient, stdio, inSessions(1)),
    contestant("floor, one session", floorClient, stdio, inSessions(1)),
  ],
  note:
    "A session of the port has one turn at a time, so each contestant has 64 sessions with one call in flight. The " +
    "SDK and the floor are also shown with 64 calls in flight in one session.",
  limit:
    "With 64 calls in flight in one session, one read returns many answers. With 64 sessions each call needs its own " +
    "write and read, also for the floor: the floor's ratio is the least that any client can reach.",
}

export const waitingStdio: Row = {
  name: "stdio-waiting",
  title: "64 executes waiting in one session over stdio",
  unit: "call",
  metric: "cpu",
  aim: { of: "ratio", most: 2.2, over: oneByOne },
  times: { rounds: 3, blocks: 9, warmUp: 3 },
  contestants: [
    contestant(ours, oursClient, stdio, inSessions(1)),
    contestant(oneByOne, floorClient, stdio, sequential(5_000)),
  ],
  note: "A session of the port takes one turn at a time: 63 wait. The floor's calls are one after the other.",
}

const overHttp = (reply: "json" | "sse"): Row => ({
  name: `http-${reply}`,
  title: `Sequential calls over HTTP, ${reply === "json" ? "JSON replies" : "SSE replies"}`,
  unit: "call",
  metric: "cpu",
  aim: { of: "ratio", most: 0.22 },
  times: { rounds: 3, blocks: 7, warmUp: 3 },
  contestants: four(http(reply), sequential(1_000)),
})

export const httpJson: Row = overHttp("json")
export const httpSse: Row = overHttp("sse")
