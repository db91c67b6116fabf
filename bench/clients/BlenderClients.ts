/**
 * A real Blender with a scene of many objects, and its clients.
 */
import * as HeadlessBlender from "../../packages/editor-blender/testing/HeadlessBlender.ts"
import { startEditorServer } from "../BuiltServer.ts"
import { bareConnection, scoped } from "./InstantEditor.ts"

type Params = Readonly<Record<string, unknown>>

/** `ask`: sends one request over a bare socket, and parses its answer. Throws where that is an error. */
interface Socket {
  readonly ask: (method: string, params: Params) => Promise<Params>
  readonly end: () => Promise<void>
}

const connect = async ({ port, token }: { readonly port: number; readonly token: string }): Promise<Socket> => {
  const isAnswer = (message: unknown) => "id" in (message as Params)
  const { ask, end } = await bareConnection({ host: "127.0.0.1", port }, isAnswer)
  let id = 0
  const request = async (method: string, params: Params) => {
    const answer = (await ask(JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }))) as Params
    if (answer["error"] !== undefined) throw new Error(`${method}: ${JSON.stringify(answer["error"])}`)
    return answer["result"] as Params
  }
  await request("hello", { token })
  return { ask: request, end }
}

/** So many selected objects with a mesh, and nothing else. */
const objects = (count: number) => `
import bpy
for entry in list(bpy.data.objects):
    bpy.data.objects.remove(entry)
mesh = bpy.data.meshes.new("Shared")
mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
for index in range(${count}):
    entry = bpy.data.objects.new(f"Object {index:05}", mesh)
    entry.location = (index % 100, index // 100, index / 7)
    bpy.context.scene.collection.objects.link(entry)
    entry.select_set(True)
`

/** Work on a scene. Each throws if the answer is incomplete. */
export interface BlenderClient {
  /** Reads the selected objects with most of their fields. */
  readonly query: () => Promise<void>
  /** Reads the number of objects. */
  readonly count: () => Promise<void>
  /** Creates a cube; `remove` deletes it. */
  readonly create: () => Promise<void>
  readonly remove: () => Promise<void>
  readonly end: () => Promise<void>
}

/** Makes a client. `count`: how many objects the scene has. */
export type MakeBlenderClient = (count: number) => Promise<BlenderClient>

const name = "Made"
const creation = { steps: [{ create: { primitive: "cube", name, transform: { location: { x: 1, y: 2, z: 3 } } } }] }
const removal = { steps: [{ delete: { objects: [name] } }] }

const fields = ["name", "type", "location", "rotationEuler", "scale", "dimensions", "visible", "materials"]
const vector = "{ x y z }"
const query = `{ scene { selectedObjects {
  name type location ${vector} rotationEuler ${vector} scale ${vector} dimensions ${vector} visible materials
} } }`

const expect = (isRight: boolean, what: string) => {
  if (!isRight) throw new Error(`${what} was not answered as a whole`)
}

const start = async (count: number) => {
  const { end, made } = await scoped(HeadlessBlender.start)
  const socket = await connect(made)
  await socket.ask("code.run", { code: objects(count), timeoutMs: 60_000 })
  const close = async () => {
    await socket.end()
    await end()
  }
  return { blender: made, socket, close }
}

/** Frames to the bridge of Blender and back. */
export const bareSocket: MakeBlenderClient = async (count) => {
  const { close, socket } = await start(count)
  return {
    query: async () => {
      const { objects } = await socket.ask("object.read", { fields, selected: true })
      expect(Array.isArray(objects) && objects.length === count, "object.read")
    },
    count: async () => {
      const { objectCount } = await socket.ask("scene.read", { fields: ["objectCount"] })
      expect(objectCount === count, "scene.read")
    },
    create: async () => void (await socket.ask("steps.apply", creation)),
    remove: async () => void (await socket.ask("steps.apply", removal)),
    end: close,
  }
}

/** The editor server as it is published, over stdio. It is called by bare lines, as the bridge is by bare frames. */
export const wholeServer: MakeBlenderClient = async (count) => {
  const { blender, close } = await start(count)
  const server = await startEditorServer("blender", blender.file)
  const ask = await server.lines()
  const call = async (name: string, args: Params): Promise<string> => {
    const { content, isError } = (await ask("tools/call", { name, arguments: args })) as Params
    const [first] = content as ReadonlyArray<{ readonly text?: string }>
    const text = first?.text ?? ""
    expect(isError !== true, `${name} (${text.slice(0, 500)})`)
    return text
  }
  const last = `"Object ${String(count - 1).padStart(5, "0")}"`
  return {
    query: async () => expect((await call("scene.query", { query })).lastIndexOf(last) > 0, "scene.query"),
    count: async () => {
      const text = await call("scene.query", { query: "{ scene { context { objectCount } } }" })
      expect(text.includes(String(count)), "scene.query")
    },
    create: async () => void (await call("command.apply", creation)),
    remove: async () => void (await call("command.apply", removal)),
    end: async () => {
      await server.end()
      await close()
    },
  }
}

/** Why no Blender is available, or undefined. */
export const missing = (): string | undefined =>
  HeadlessBlender.isThere("blender") ? undefined : "blender is not installed."
