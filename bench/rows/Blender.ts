/**
 * The editor server with a real Blender, beside a bare socket to Blender's bridge.
 */
import {
  type BlenderClient,
  bareSocket,
  type MakeBlenderClient,
  missing,
  wholeServer,
} from "../clients/BlenderClients.ts"
import { type Contestant, floor, ours, type Row } from "../Row.ts"
import { built, byServer, part } from "./Contestants.ts"

/** How many objects the scene has where it has many. */
const many = 10_000

const median = (times: ReadonlyArray<number>): number =>
  times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN

/** The median of so many times, as the microseconds of one; `after` each, outside of the time. */
const timed = (
  name: string,
  make: MakeBlenderClient,
  count: number,
  times: number,
  work: (client: BlenderClient) => Promise<void>,
  after: (client: BlenderClient) => Promise<void> = async () => {},
): Contestant =>
  built(name, async (scale) => {
    const client = await make(count)
    return {
      block: async () => {
        const taken: Array<number> = []
        for (let left = part(times, scale); left > 0; left--) {
          const begun = performance.now()
          await work(client)
          taken.push((performance.now() - begun) * 1_000)
          await after(client)
        }
        return { units: 1, apart: { wall: median(taken) } }
      },
      end: client.end,
    }
  })

const row = { ...byServer, metric: "wall", skipped: missing } as const

const query = (name: string, make: MakeBlenderClient, count: number) =>
  timed(name, make, count, 3, (client) => client.query())

export const queryMany: Row = {
  ...row,
  name: "blender-query",
  title: "Blender: `scene.query`, 10,000 objects",
  unit: "query",
  aim: { of: "ratio", max: 1.5 },
  times: { rounds: 1, blocks: 9, warmUp: 2 },
  contestants: [query(ours, wholeServer, many), query(floor, bareSocket, many)],
  note:
    "Blender without a window, and 10,000 selected objects, each with its name, type, location, rotation, scale, dimensions, " +
    "visibility and materials. Ours is `zain-editor-mcp blender`, bundled as it is published, over stdio: bare lines are sent and " +
    "parsed, as bare frames are by the floor. The floor asks Blender's bridge for the same fields over a socket, and parses " +
    "the answer: most of its time is Blender's. Beyond it, ours parses that answer, bounded, and writes it as the text of a " +
    "result. Here and below a block is the median of its calls.",
}

const create = (name: string, make: MakeBlenderClient, count: number, times: number) =>
  timed(
    name,
    make,
    count,
    times,
    (client) => client.create(),
    (client) => client.remove(),
  )

export const creation: Row = {
  ...row,
  name: "blender-create",
  title: "Blender: create a cube",
  unit: "create",
  aim: { of: "ratio", max: 3 },
  times: { rounds: 1, blocks: 9, warmUp: 2 },
  contestants: [
    create(ours, wholeServer, 10, 40),
    create(floor, bareSocket, 10, 40),
    create("ours, among 10,000", wholeServer, many, 2),
    create("floor, among 10,000", bareSocket, many, 2),
  ],
  note:
    "`command.apply` with one step, in a scene of 10 objects, and `steps.apply` over a bare socket. It includes Blender's undo " +
    "step and the list of changes. The cube is deleted after each, outside of the time. " +
    "Among 10,000 objects most of the time is Blender's dependency graph, which it rebuilds for a new object: half a second.",
}

const min = "same with 10"

export const count: Row = {
  ...row,
  name: "blender-count",
  title: "Blender: count 10,000 objects",
  unit: "query",
  aim: { of: "ratio", max: 1.5, over: min },
  times: { rounds: 1, blocks: 11, warmUp: 4 },
  contestants: [
    timed(ours, wholeServer, many, 200, (client) => client.count()),
    timed(min, wholeServer, 10, 200, (client) => client.count()),
    timed(floor, bareSocket, many, 200, (client) => client.count()),
    timed("floor with 10", bareSocket, 10, 200, (client) => client.count()),
  ],
  note:
    "`scene.query` for `objectCount` alone, in a scene of 10,000 objects over one of 10. Blender counts the nodes of a " +
    "list without reading objects: 0.1 ms for 10,000.",
}
