/**
 * LoopSmith's server: its start, its memory, and the CPU time of a mock evaluation.
 */
import { type Door, startLoopSmith as start, startEcho } from "../BuiltServer.ts"
import { type Contestant, ours, type Row } from "../Row.ts"
import { built, byServer, cold, part } from "./Contestants.ts"

export const coldStart: Row = {
  ...byServer,
  name: "loopsmith-cold-start",
  title: "LoopSmith: start to `initialize`",
  unit: "start",
  metric: "wall",
  aim: { of: "value", max: 300_000 },
  times: { rounds: 1, blocks: 15, warmUp: 2 },
  contestants: [cold(ours, () => start("stdio")), cold("ours, ws", () => start("ws")), cold("bare server", startEcho)],
  note:
    "`loopsmith serve`, bundled as it is published, with the mock judge: ours over stdio, and over a WebSocket, which " +
    "includes listening and connecting. Beside it is a server of thirty lines without an SDK: Node's own start. Files are in the system's cache.",
}

/** A server with so many idle clients. */
const holding = (name: string, count: number): Contestant =>
  built(name, async (scale) => ({
    block: async () => {
      const server = await start("ws", { hasProbe: true })
      for (let connected = 0; connected < Math.ceil(count * scale); connected++) {
        const client = await server.connect()
        await client.listTools()
      }
      const { resident } = await server.usage()
      await server.end()
      return { units: 1, apart: { resident } }
    },
    end: async () => {},
  }))

export const idleClients: Row = {
  ...byServer,
  name: "loopsmith-200-idle",
  title: "LoopSmith: 200 idle WebSocket clients",
  unit: "server",
  metric: "resident",
  aim: { of: "value", max: 190 * 2 ** 20 },
  times: { rounds: 1, blocks: 5, warmUp: 0 },
  contestants: [holding(ours, 200), holding("ours, one client", 1)],
  note: "Resident memory of the server's process after 200 clients have listed its tools, without garbage collection before.",
}

/** A text of some 4 KiB that has all that the mock judge looks for. */
const text = `# Title\n\n- item\n\n\`\`\`\ncode\n\`\`\`\n\n${"All of this is about something. ".repeat(128)}\n`

const evaluating = (name: string, door: Door): Contestant =>
  built(name, async (scale) => {
    const server = await start(door, { hasProbe: true })
    const client = await server.connect()
    const units = part(1_000, scale)
    return {
      block: async () => {
        const before = await server.usage()
        for (let done = 0; done < units; done++) {
          await client.callTool({ name: "evaluate_document", arguments: { content: text } })
        }
        const after = await server.usage()
        return { units, apart: { cpu: after.cpu - before.cpu } }
      },
      end: server.end,
    }
  })

export const evaluation: Row = {
  ...byServer,
  name: "loopsmith-mock-evaluation",
  title: "LoopSmith: one mock evaluation",
  unit: "call",
  metric: "cpu",
  aim: { of: "value", max: 5_000 },
  times: { rounds: 2, blocks: 5, warmUp: 1 },
  contestants: [evaluating(ours, "ws"), evaluating("ours, stdio", "stdio")],
  note: "CPU of the server's process for a call of `evaluate_document` with a text of 4 KiB, over a WebSocket and over stdio.",
}
