/**
 * The editor server: its link beside a bare socket, large frames, its start and its memory.
 */
import { type BuiltServer, startEcho, startEditorServer } from "../BuiltServer.ts"
import {
  bareConnection,
  bareSocket,
  type Caller,
  type InstantEditor,
  inOrder,
  link,
  ownConnection,
  startEditor,
  toolArguments,
  toolName,
  width,
} from "../clients/InstantEditor.ts"
import { type Contestant, floor, ours, type Row } from "../Row.ts"
import { built, byServer, cold, part } from "./Contestants.ts"

/** What this process and the editor's have used so far, in microseconds. */
const bothEnds = async ({ cpu }: InstantEditor): Promise<number> => {
  const { system, user } = process.cpuUsage()
  return system + user + (await cpu())
}

/** So many times 200 calls at once. */
const calling = (name: string, make: (target: Parameters<typeof link>[0]) => Promise<Caller>): Contestant => ({
  name,
  start: async (scale) => {
    const editor = await startEditor()
    const caller = await make(editor.target)
    const times = part(40, scale)
    return {
      block: async () => {
        const before = await bothEnds(editor)
        for (let done = 0; done < times; done++) await caller.calls(width)
        const after = await bothEnds(editor)
        return { units: times * width, apart: { cpu: after - before } }
      },
      end: async () => {
        await caller.end()
        await editor.end()
      },
    }
  },
})

export const calls: Row = {
  name: "editor-calls",
  title: "Editor link: 200 concurrent calls",
  unit: "call",
  metric: "cpu",
  aim: { of: "ratio", max: 1.2 },
  times: { rounds: 3, blocks: 9, warmUp: 4 },
  contestants: [calling(ours, link), calling(floor, bareSocket)],
  note:
    "Frames of the profile `unity`, one in flight, to a process that answers without delay. Ours is the link to the editor: " +
    "queue, deadlines, bounds, framing. The floor is a bare socket loop: it writes a frame, waits for the answer and parses it " +
    "before the next. CPU is that of both ends.",
}

export const parallel: Row = {
  ...byServer,
  name: "editor-200-calls",
  title: "Editor server: 200 concurrent calls",
  unit: "round",
  metric: "wall",
  aim: { of: "value", max: 300_000 },
  times: { rounds: 2, blocks: 11, warmUp: 3 },
  contestants: [
    built(ours, async () => {
      const editor = await startEditor()
      const server = await startEditorServer("unity", `${editor.target.host}:${editor.target.port}`)
      const client = await server.connect()
      return {
        block: async () => {
          const answered: Array<number> = []
          const call = async (_: unknown, at: number) => {
            await client.callTool({ name: toolName, arguments: toolArguments })
            answered.push(at)
          }
          const begun = performance.now()
          await Promise.all(Array.from({ length: width }, call))
          const wall = (performance.now() - begun) * 1_000
          inOrder(answered, width)
          return { units: 1, apart: { wall } }
        },
        end: async () => {
          await server.end()
          await editor.end()
        },
      }
    }),
  ],
  note:
    "`zain-editor-mcp unity`, bundled as it is published, over stdio, called by the SDK's client; the figure includes the " +
    "client's and the editor's time. The row fails unless all are answered in order. An editor that serves one call a frame at 60 " +
    "frames a second takes 3.3 s for them.",
}

const mebibyte = 2 ** 20

/** Frames of so many MiB, to an editor and back. */
const echo = (name: string, connect: typeof bareConnection, size: number): Contestant => ({
  name,
  start: async (scale) => {
    const editor = await startEditor()
    const { ask, end } = await connect(editor.target)
    const text = JSON.stringify({ echo: "Größe in der Szene, 7 Zeichen. ".repeat((size * mebibyte) / 32) })
    const times = part(32 / size, scale)
    return {
      block: async () => {
        for (let done = 0; done < times; done++) await ask(text)
        return { units: times * size }
      },
      end: async () => {
        await end()
        await editor.end()
      },
    }
  },
})

const small = "same at 1 MiB"

export const frames: Row = {
  name: "editor-8-mib",
  title: "Editor link: 8 MiB frames",
  unit: "MiB",
  metric: "cpu",
  aim: { of: "ratio", max: 2, over: small },
  times: { rounds: 2, blocks: 5, warmUp: 1 },
  contestants: [
    echo(ours, ownConnection, 8),
    echo(small, ownConnection, 1),
    echo(floor, bareConnection, 8),
    echo("floor at 1 MiB", bareConnection, 1),
  ],
  note:
    "The cost of a MiB in frames of 8 MiB over its cost in frames of 1 MiB: 1 is linear, 8 is quadratic. A read has 64 KiB " +
    "at most. The floor collects the pieces and parses them, without bounds. It too costs more at 8 MiB, because the " +
    "engine allocates fresh memory for large texts.",
}

/** Where no editor listens. */
const nowhere = "127.0.0.1:1"

export const start: Row = {
  ...byServer,
  name: "editor-cold-start",
  title: "Editor server: start to `initialize`",
  unit: "start",
  metric: "wall",
  aim: { of: "value", max: 300_000 },
  times: { rounds: 1, blocks: 15, warmUp: 2 },
  contestants: [cold(ours, () => startEditorServer("unity", nowhere)), cold("bare server", startEcho)],
  note:
    "`zain-editor-mcp unity`, bundled as it is published, over stdio, without an editor. Beside it is a server of " +
    "thirty lines without an SDK: Node's own start. Files are in the system's cache.",
}

/** A server whose tools have been listed. */
const resident = async (server: BuiltServer) => {
  const client = await server.connect()
  await client.listTools()
  const { resident } = await server.usage()
  await server.end()
  return { units: 1, apart: { resident } }
}

export const idle: Row = {
  ...byServer,
  name: "editor-idle",
  title: "Editor server: idle",
  unit: "server",
  metric: "resident",
  aim: { of: "value", max: 80 * mebibyte },
  times: { rounds: 1, blocks: 7, warmUp: 1 },
  contestants: [
    built(ours, async () => ({
      block: async () => resident(await startEditorServer("unity", nowhere, { hasProbe: true })),
      end: async () => {},
    })),
  ],
  note:
    "Resident memory of the server's process after a client has listed its tools, without an editor and without garbage " +
    "collection before.",
}
