/**
 * Large results.
 */
import { calls } from "../clients/Client.ts"
import type { Row } from "../Row.ts"
import { http, type Job, type Place, stdio, three } from "./Contestants.ts"

/** How many MiB a result has. */
const size = 16

const result: Job = async (client) => {
  const session = await client.open()
  return {
    block: async () => {
      await calls(session, 1, `size:${size * 1024 * 1024}`)
      return { units: size }
    },
    end: async () => void (await session.close()),
  }
}

const large = (name: "stdio" | "http", place: Place): Row => ({
  name: `${name}-16-mib`,
  title: `16 MiB result over ${name === "http" ? "HTTP" : name}`,
  unit: "MiB",
  metric: "cpu",
  aim: { of: "ratio", max: 1.2 },
  times: { rounds: 2, blocks: 3, warmUp: 1 },
  contestants: three(place, result),
  note:
    "By default the SDK closes a session over stdio at a line of 10 MiB. Here its transport has `maxBufferSize: 128 MiB`, " +
    "to do the same work.",
})

export const largeStdio: Row = large("stdio", stdio)
export const largeHttp: Row = large("http", http("json"))
