/**
 * What the tools of the fake of uLoopMCP do.
 */
import type { FakeScene, SceneObject } from "@zain/editor-link/fake/FakeScene"
import { pathOf, primitives, titled, withChildren } from "@zain/editor-link/fake/FakeScene"
import { listOf, numberOf, type Params, textOf, vectorOf } from "@zain/editor-link/fake/Params"

/** A tool's result. `failed`: the cause of a failure. */
export type LoopResult = { readonly result: unknown } | { readonly failed: string }

/** A member of an enum can be given by its name or its number. */
const memberOf = (params: Params, name: string, members: ReadonlyArray<string>, otherwise: string) => {
  const given = params[name]
  if (typeof given === "number") return members[given] ?? otherwise
  return members.find((member) => member.toLowerCase() === String(given).toLowerCase()) ?? otherwise
}

const menu = [
  "GameObject/Create Empty",
  ...Object.keys(primitives).map((name) => `GameObject/3D Object/${titled(name)}`),
]

const node = (object: SceneObject, depth: number, params: Params): unknown => ({
  id: object.id,
  name: object.name,
  path: pathOf(object),
  depth,
  isActive: object.isActive,
  ...(params["IncludeComponents"] === false ? {} : { components: object.components.map(({ type }) => type) }),
  children:
    depth === numberOf(params, "MaxDepth", -1) ? [] : object.children.map((child) => node(child, depth + 1, params)),
})

const notFound = (path: string): LoopResult => ({ failed: `There is no object at ${JSON.stringify(path)}.` })

const create = (scene: FakeScene, name: string, primitive: string, params: Params): LoopResult => {
  const parentPath = textOf(params, "ParentPath")
  const parent = parentPath === "" ? undefined : scene.find(parentPath)
  if (parentPath !== "" && parent === undefined) return notFound(parentPath)
  const object = scene.createPrimitive(name, parent, primitive)
  if (object === undefined) return { failed: "The scene is full." }
  object.position = vectorOf(params, "Position", object.position)
  object.scale = vectorOf(params, "Scale", object.scale)
  for (const type of listOf(params, "Components")) {
    if (type !== "Transform") object.components.push({ type: String(type), properties: {} })
  }
  return { result: { Success: true, Id: object.id, Path: pathOf(object), Position: object.position } }
}

const calls: Readonly<Record<string, (params: Params, scene: FakeScene) => LoopResult>> = {
  "get-logs": (params, scene) => {
    const type = memberOf(params, "LogType", ["Error", "Warning", "Log", "All"], "All")
    const found = scene.console.filter(
      (entry) => (type === "All" || entry.type === type) && entry.message.includes(textOf(params, "SearchText")),
    )
    const max = Math.max(0, numberOf(params, "MaxCount", 100))
    const shown = max === 0 ? [] : found.slice(-max)
    const withTrace = params["IncludeStackTrace"] === true
    const Logs = shown.map(({ type, message }) => ({ Type: type, Message: message, StackTrace: withTrace ? "" : null }))
    return { result: { TotalCount: found.length, DisplayedCount: Logs.length, LogType: type, Logs } }
  },
  "clear-console": (params, scene) => {
    const ClearedLogCount = scene.console.splice(0).length
    if (params["AddConfirmationMessage"] === true) scene.log("Log", "The console was cleared.")
    return { result: { Success: true, ClearedLogCount } }
  },
  compile: () => ({ result: { Success: true, ErrorCount: 0, WarningCount: 0, Errors: [], Warnings: [] } }),
  "run-tests": (params) => {
    const mode = memberOf(params, "TestMode", ["", "EditMode", "PlayMode"], "EditMode")
    const counts = { TestCount: 3, PassedCount: 3, FailedCount: 0, SkippedCount: 0 }
    return { result: { Success: true, Message: `${mode}: 3 tests passed`, ...counts, XmlPath: null } }
  },
  "get-hierarchy": (params, scene) => {
    const rootPath = textOf(params, "RootPath")
    const root = rootPath === "" ? undefined : scene.find(rootPath)
    if (rootPath !== "" && root === undefined) return notFound(rootPath)
    const roots = root === undefined ? scene.roots : [root]
    const shown = roots.filter((object) => params["IncludeInactive"] !== false || object.isActive)
    const nodeCount = shown.flatMap(withChildren).length
    return {
      result: { hierarchy: shown.map((one) => node(one, 0, params)), context: { sceneName: scene.name, nodeCount } },
    }
  },
  "find-game-objects": (params, scene) => {
    const pattern = textOf(params, "NamePattern")
    const mode = memberOf(params, "SearchMode", ["Exact", "Contains", "Regex"], "Exact")
    if (mode === "Regex") return { failed: "The fake editor knows no regular expressions: use Exact or Contains." }
    const wanted = listOf(params, "RequiredComponents")
    const found = scene.all.filter(
      (object) =>
        (pattern === "" || (mode === "Exact" ? object.name === pattern : object.name.includes(pattern))) &&
        (textOf(params, "Tag") === "" || object.tag === params["Tag"]) &&
        wanted.every((type) => object.components.some((component) => component.type === type)),
    )
    const results = found.slice(0, Math.max(0, numberOf(params, "MaxResults", 20)))
    return { result: { totalFound: found.length, results: results.map((object) => node(object, 0, { MaxDepth: 0 })) } }
  },
  "create-game-object": (params, scene) => {
    const kinds = ["Empty", "Cube", "Sphere", "Capsule", "Cylinder", "Plane", "Quad"]
    return create(
      scene,
      textOf(params, "Name", "GameObject"),
      memberOf(params, "PrimitiveType", kinds, "Empty"),
      params,
    )
  },
  "delete-game-object": (params, scene) => {
    const object = scene.find(textOf(params, "Path"))
    if (object === undefined) return notFound(textOf(params, "Path"))
    const DeletedCount = withChildren(object).length
    scene.remove(object)
    return { result: { Success: true, DeletedCount } }
  },
  "execute-menu-item": (params, scene) => {
    const path = textOf(params, "MenuItemPath")
    if (!menu.includes(path)) return { result: { MenuItemPath: path, Success: false, ErrorMessage: "No such item" } }
    const name = path.slice(path.lastIndexOf("/") + 1)
    const made = create(scene, name === "Create Empty" ? "GameObject" : name, name, {})
    return "failed" in made ? made : { result: { MenuItemPath: path, Success: true, ErrorMessage: "" } }
  },
  "get-menu-items": (params) => {
    const found = menu.filter((path) => path.toLowerCase().includes(textOf(params, "FilterText").toLowerCase()))
    const MenuItems = found.slice(0, Math.max(0, numberOf(params, "MaxCount", 200))).map((Path) => ({ Path }))
    return { result: { MenuItems, TotalCount: found.length } }
  },
  "focus-window": () => ({ result: null }),
  ping: (params) => ({ result: { Message: textOf(params, "Message", "Hello") } }),
}

/** Calls a tool. One that does nothing of its own answers with what it was given. */
export const call = (name: string, params: Params, scene: FakeScene): LoopResult =>
  Object.hasOwn(calls, name) && calls[name] !== undefined
    ? calls[name](params, scene)
    : { result: { Tool: name, Parameters: params } }
