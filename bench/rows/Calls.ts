/**
 * Calls one after the other, and many at once.
 */
import { calls, type Session } from "../clients/Client.ts"
import { floor as floorClient } from "../clients/Floor.ts"
import { sdk as sdkClient } from "../clients/Sdk.ts"
import { floor, type Row } from "../Row.ts"
import { contestant, hello, http, type Job, oursOf, type Place, part, sequential, stdio, three } from "./Contestants.ts"

/** Parallel calls, divided among sessions, and how many calls follow one another in each place. */
const parallel =
  (sessions: number, width: number, each: number): Job =>
  async (client, scale) => {
    const opened = await Promise.all(Array.from({ length: sessions }, () => client.open()))
    const lanes = opened.flatMap((session) => Array<Session>(width / sessions).fill(session))
    const count = part(each, scale)
    return {
      block: async () => {
        await Promise.all(lanes.map((session) => calls(session, count, hello)))
        return { units: width * count }
      },
      end: async () => void (await Promise.all(opened.map((session) => session.close()))),
    }
  }

const call = { unit: "call", metric: "cpu", times: { rounds: 2, blocks: 9, warmUp: 3 } } as const

export const sequentialStdio: Row = {
  ...call,
  name: "stdio-sequential",
  title: "Sequential calls over stdio",
  aim: { of: "ratio", max: 1.6 },
  contestants: three(stdio, sequential(5_000)),
  limit: "Most of a call is the write to the pipe and the wait for the answer, which the floor needs too.",
}

const overHttp = (reply: "json" | "sse", max: number): Row => ({
  ...call,
  name: `http-${reply}`,
  title: `Sequential calls over HTTP, ${reply === "json" ? "JSON replies" : "SSE replies"}`,
  aim: { of: "ratio", max },
  times: { rounds: 3, blocks: 7, warmUp: 3 },
  contestants: three(http(reply), sequential(1_000)),
  limit:
    "In one process with the floor, after 20,000 calls, ours costs as much as it. The row starts a process for each and " +
    "counts the calls in which the engine still compiles what a call of ours has more: limits, cancelling, events.",
})

export const httpJson: Row = overHttp("json", 1.05)
export const httpSse: Row = overHttp("sse", 1.1)

export const inManySessions =
  "Seven tenths are the writes that hand the processor to the other processes, after which our code runs with cold caches: " +
  "16 µs a call in place of 8 in one session. To write after all that is ready was read halves it, but makes a call that " +
  "waits in one session cost a tenth to a quarter more."

/** One call in flight in each of 64 sessions. */
const inSessions = (place: Place) => three(place, parallel(64, 64, 100))

export const manyStdio: Row = {
  ...call,
  name: "stdio-64",
  title: "64 concurrent sessions over stdio",
  aim: { of: "ratio", max: 1.6 },
  short: 2.8,
  contestants: [
    ...inSessions(stdio),
    contestant("bare SDK, one session", sdkClient, stdio, parallel(1, 64, 100)),
    contestant("floor, one session", floorClient, stdio, parallel(1, 64, 100)),
  ],
  note:
    "A session of the port has one turn at a time, so each contestant has 64 sessions with one call in flight. The " +
    "SDK and the floor are also shown with 64 calls in flight in one session.",
  limit: inManySessions,
}

export const manyHttp: Row = {
  ...call,
  name: "http-64",
  title: "64 concurrent sessions over HTTP",
  aim: { of: "ratio", max: 0.8 },
  times: { rounds: 2, blocks: 5, warmUp: 2 },
  contestants: inSessions(http("json")),
  limit: "The aim is that of a floor on which the SDK was 3.2; over this one the SDK is 4.0, which makes it 1.0.",
}

/** Ours with calls that wait in one session, beside a floor whose calls are one after the other. */
const waiting = (place: Place, width: number, each: number) => ({
  ...call,
  contestants: [...oursOf(place, parallel(1, width, each)), contestant(floor, floorClient, place, sequential(5_000))],
  note: `A session of the port takes one turn at a time: ${width - 1} wait. The floor's calls are one after the other.`,
})

export const waitingStdio: Row = {
  ...waiting(stdio, 64, 100),
  name: "stdio-waiting",
  title: "64 executes waiting in one session over stdio",
  aim: { of: "ratio", max: 2.2 },
  short: 3,
}

const eightWaiting = (name: "stdio" | "http", place: Place, max: number): Row => ({
  ...waiting(place, 8, 6_250),
  name: `${name}-waiting-8`,
  title: `50,000 executes, 8 waiting, over ${name === "http" ? "HTTP" : name}`,
  aim: { of: "ratio", max },
  times: { rounds: 1, blocks: 3, warmUp: 1 },
})

export const eightWaitingStdio: Row = eightWaiting("stdio", stdio, 2.2)
export const eightWaitingHttp: Row = eightWaiting("http", http("json"), 1.1)
