/**
 * Large results.
 */
import type { MakeClient } from "../clients/Client.ts"
import { floor } from "../clients/Floor.ts"
import { ours } from "../clients/Ours.ts"
import { sdk } from "../clients/Sdk.ts"
import type { Contestant, Row } from "../Row.ts"
import { contestant, type Job, stdio, three } from "./Contestants.ts"

const mebibyte = 1024 * 1024

/** Results of so many MiB, one after the other. */
const results =
  (size: number, count: number): Job =>
  async (client) => {
    const session = await client.open()
    return {
      block: async () => {
        await session.calls(count, `size:${size * mebibyte}`)
        return { units: size * count }
      },
      end: async () => void (await session.close()),
    }
  }

export const large: Row = {
  name: "stdio-16-mib",
  title: "16 MiB result over stdio",
  unit: "MiB",
  metric: "cpu",
  aim: { of: "ratio", most: 0.06 },
  times: { rounds: 2, blocks: 3, warmUp: 1 },
  contestants: three(stdio, results(16, 1)),
  note:
    "By default the SDK closes the session at a line of 10 MiB. Here its transport has `maxBufferSize: 128 MiB`, to " +
    "do the same work.",
}

/** A contestant for each of these sizes. */
const each = (name: string, make: MakeClient, sizes: ReadonlyArray<number>): ReadonlyArray<Contestant> =>
  sizes.map((size) => contestant(`${name}, ${size} MiB`, make, stdio, results(size, Math.max(1, 4 / size))))

export const sizes: Row = {
  name: "stdio-sizes",
  title: "Results of 1 to 64 MiB over stdio, per MiB",
  unit: "MiB",
  metric: "cpu",
  times: { rounds: 2, blocks: 3, warmUp: 1 },
  contestants: [
    ...each("ours", ours, [1, 4, 16, 64]),
    ...each("bare SDK", sdk, [1, 4, 8]),
    ...each("floor", floor, [1, 4, 16, 64]),
  ],
  note: "A client is linear in the size if a MiB costs the same in each of its lines.",
}
