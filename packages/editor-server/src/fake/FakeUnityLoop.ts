/**
 * Unity with uLoopMCP that is none: a small scene, a console, and tools that work on them.
 */
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as FakeEditor from "./FakeEditor.ts"

type Params = Readonly<Record<string, unknown>>

/** How the editor answers a tool: a result, or a failure. */
type Work = (params: Params, scene: Scene) => unknown

interface Scene {
  readonly objects: Array<{ readonly name: string; readonly type: string }>
  readonly logs: Array<{ readonly Type: string; readonly Message: string }>
  isBlocked: boolean
}

/** What a tool fails with: what `error` says, and its `data`. */
class Failure {
  readonly message: string
  readonly data: object
  constructor(message: string, data: object) {
    this.message = message
    this.data = data
  }
}
const broken = (message: string) => new Failure("Internal error", { type: "internal_error", message })

const property = (Type: string, Description: string, DefaultValue: unknown = null, Enum: unknown = null) => ({
  Type,
  Description,
  DefaultValue,
  Enum,
})
const tool = (name: string, description: string, properties: object, work: Work, displayDevelopmentOnly = false) => ({
  listed: {
    name,
    description,
    parameterSchema: { Properties: properties, Required: [] },
    displayDevelopmentOnly,
  },
  work,
})

const tools = [
  tool("compile", "Compiles the project.", { ForceRecompile: property("boolean", "Compiles all.", false) }, () => ({
    Success: true,
    ErrorCount: 0,
    WarningCount: 0,
  })),
  tool(
    "get-logs",
    "Reads the console.",
    {
      LogType: property("string", "Which logs.", 0, ["All", "Error", "Warning", "Log"]),
      MaxCount: property("number", "How many.", 100),
      SearchText: property("string", "What they contain.", ""),
    },
    ({ MaxCount: most = 100, SearchText: text = "" }, { logs }) => {
      const found = logs.filter(({ Message }) => Message.includes(String(text))).slice(-Number(most))
      return { TotalCount: found.length, Logs: found }
    },
  ),
  tool("clear-console", "Empties the console.", {}, (_, { logs }) => {
    logs.length = 0
    return { Success: true }
  }),
  tool(
    "run-tests",
    "Runs tests.",
    {
      TestMode: property("string", "Where they run.", 1, ["EditMode", "PlayMode"]),
      FilterType: property("string", "How they are chosen.", 0, ["all", "exact", "regex"]),
      TimeoutSeconds: property("integer", "The limit.", 30),
    },
    () => ({ Success: true, TestCount: 3, PassedCount: 3, FailedCount: 0 }),
  ),
  tool(
    "create-object",
    "Creates an object in the scene.",
    {
      Name: property("string", "Its name."),
      Type: property("string", "Its form.", "Cube", ["Cube", "Sphere", "Plane"]),
    },
    ({ Name: name, Type: type = "Cube" }, { logs, objects }) => {
      if (typeof name !== "string" || name === "") return broken("Name must not be empty")
      objects.push({ name, type: String(type) })
      logs.push({ Type: "Log", Message: `Created ${name}` })
      return { Success: true, Name: name }
    },
  ),
  tool(
    "find-game-objects",
    "Finds objects in the scene.",
    {
      NamePattern: property("string", "A part of the name.", ""),
      Options: property("string", "More.", { Deep: true }),
    },
    ({ NamePattern: part = "" }, { objects }) => ({
      Results: objects.filter(({ name }) => name.includes(String(part))),
    }),
  ),
  tool(
    "get-hierarchy",
    "The objects of the scene.",
    { MaxDepth: property("integer", "How deep.", -1) },
    (_, { objects }) => ({
      Root: "SampleScene",
      Objects: objects,
    }),
  ),
  tool(
    "execute-menu-item",
    "Chooses an item of the menu.",
    { MenuItemPath: property("string", "Such as GameObject/Create Empty.") },
    ({ MenuItemPath: path }, scene) => {
      if (scene.isBlocked) {
        const why = { command: "execute-menu-item", reason: "Menu items are disabled" }
        return new Failure("Tool blocked by security settings", {
          type: "security_blocked",
          message: "Blocked",
          ...why,
        })
      }
      scene.logs.push({ Type: "Log", Message: `Menu ${String(path)}` })
      return { Success: true }
    },
  ),
  tool("unity-search", "Searches the project.", { Providers: property("array", "Where.", []) }, () => ({
    Results: [],
  })),
  tool("get-version", "Unity's version.", {}, () => ({ UnityVersion: "6000.0.0f1", DataPath: "/fake/Project/Assets" })),
  tool(
    "echo",
    "Repeats what it is given.",
    { Value: property("object", "Anything.") },
    ({ Value: value = null }) => value,
    true,
  ),
]

const mostBytes = 2 ** 20

/** Reads frames as Unity does: what is no frame piles up in silence, and over 1 MiB the connection ends. */
const reader = () => {
  let held = Buffer.alloc(0)
  return (chunk: Buffer): ReadonlyArray<string> | undefined => {
    held = Buffer.concat([held, chunk])
    if (held.length > mostBytes) return undefined
    const texts: Array<string> = []
    for (;;) {
      const end = held.indexOf("\r\n\r\n")
      const length = Number(/content-length:\s*(\d+)/i.exec(held.toString("latin1", 0, Math.max(0, end)))?.[1] ?? 0)
      if (end < 0 || length <= 0 || held.length < end + 4 + length) return texts
      texts.push(held.toString("utf8", end + 4, end + 4 + length))
      held = held.subarray(end + 4 + length)
    }
  }
}

const frame = (text: string): ReadonlyArray<Buffer> => [
  Buffer.from(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n`),
  Buffer.from(text),
]

const failed = (id: unknown, { data, message }: Failure) => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32_603, message, data },
})

/**
 * - `setTools`: names of the tools that it lists from now on, of those that it has
 * - `block`: whether menu items are blocked by the security settings
 */
export interface FakeUnityLoop extends FakeEditor.FakeEditor {
  readonly setTools: (names: ReadonlyArray<string>) => void
  readonly block: (isBlocked: boolean) => void
}

export const changed = {
  jsonrpc: "2.0",
  method: "notifications/tools/list_changed",
  params: { timestamp: "2025-01-01T00:00:00Z", message: "changed" },
}
export const leaving = (reason: "DomainReload" | "EditorQuit") => ({
  jsonrpc: "2.0",
  method: "notifications/server/shutdown",
  params: { reason },
})

/** Listens until the Scope closes, on any free port unless one is named. */
export const start = (port = 0): Effect.Effect<FakeUnityLoop, Error, Scope.Scope> => {
  const scene: Scene = { objects: [], logs: [], isBlocked: false }
  let listed = tools

  const work = (method: string, params: Params): unknown => {
    if (method === "set-client-name") return { Message: "ok", ClientName: params["ClientName"] }
    if (method === "ping") return { Message: `Unity MCP Bridge received: ${String(params["Message"])}` }
    if (method === "get-tool-details") {
      const isAll = params["IncludeDevelopmentOnly"] === true
      return { Tools: listed.map((one) => one.listed).filter((one) => isAll || !one.displayDevelopmentOnly) }
    }
    const found = listed.find((one) => one.listed.name === method)
    if (found === undefined) return broken(`Unknown tool: ${method}`)
    return found.work(params, scene)
  }
  const answer = (message: unknown): object | undefined => {
    if (!isRecord(message)) {
      return failed(null, broken(Array.isArray(message) ? "Batches are not supported" : "Invalid JSON"))
    }
    const { id, method, params } = message
    if (id === undefined || id === null) return undefined
    const result = work(String(method), isRecord(params) ? params : {})
    return result instanceof Failure ? failed(id, result) : { jsonrpc: "2.0", id, result: result ?? null }
  }
  const editor: FakeEditor.Editor = {
    frame,
    reader,
    answer,
    stranger: { jsonrpc: "2.0", id: "ts_0_0_0_0000", result: { Stranger: true } },
    notice: { jsonrpc: "2.0", method: "notifications/log", params: {} },
    enlarge: (given, size) => ({ ...given, result: { Text: "x".repeat(size) } }),
  }
  return Effect.map(FakeEditor.start(editor, port), (fake) => ({
    ...fake,
    setTools: (names) => {
      listed = tools.filter((one) => names.includes(one.listed.name))
    },
    block: (isBlocked) => {
      scene.isBlocked = isBlocked
    },
  }))
}
