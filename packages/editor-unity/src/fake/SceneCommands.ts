/**
 * The commands of `unity` on the objects of the scene.
 */
import type { SceneObject } from "@zain/editor-link/fake/FakeScene"
import { pathOf, primitives, titled, withChildren } from "@zain/editor-link/fake/FakeScene"
import { listOf, numberOf, type Params, textOf, vectorOf } from "@zain/editor-link/fake/Params"
import { failed, type UnityState } from "./UnityState.ts"

export type Command = (params: Params, state: UnityState) => unknown

const missing = (path: string) => failed(`GameObject not found: ${path}`, "NOT_FOUND")

/** Carries something out on the object that a parameter names. */
const onObject =
  (name: string, carryOut: (object: SceneObject, params: Params, state: UnityState) => unknown): Command =>
  (params, state) => {
    const path = textOf(params, name)
    const object = path === "" ? undefined : state.scene.find(path)
    return object === undefined ? missing(path) : carryOut(object, params, state)
  }

const summary = (object: SceneObject) => ({
  id: object.id,
  name: object.name,
  path: pathOf(object),
  position: object.position,
  rotation: object.rotation,
  scale: object.scale,
  tag: object.tag,
  layer: object.layer,
  isActive: object.isActive,
})

/** Sets what the parameters name; gives why not. */
const modify = (object: SceneObject, params: Params, state: UnityState): string | undefined => {
  if ("parentPath" in params) {
    const path = textOf(params, "parentPath")
    const parent = path === "" ? undefined : state.scene.find(path)
    if (path !== "" && parent === undefined) return `Parent GameObject not found: ${path}`
    if (parent !== object.parent && !state.scene.move(object, parent)) return "An object cannot be its own ancestor"
  }
  const tag = textOf(params, "tag", object.tag)
  if (!state.tags.has(tag)) return `Tag is not defined: ${tag}`
  object.tag = tag
  object.position = vectorOf(params, "position", object.position)
  object.rotation = vectorOf(params, "rotation", object.rotation)
  object.scale = vectorOf(params, "scale", object.scale)
  object.layer = numberOf(params, "layer", object.layer)
  if (typeof params["active"] === "boolean") object.isActive = params["active"]
  state.scene.isDirty = true
  return undefined
}

const create: Command = (params, state) => {
  const primitive = textOf(params, "primitiveType")
  if (primitive !== "" && !Object.hasOwn(primitives, primitive.toLowerCase())) {
    return failed(`Unknown primitive type: ${primitive}`)
  }
  const name = textOf(params, "name", primitive === "" ? "GameObject" : titled(primitive))
  const object = state.scene.createPrimitive(name, undefined, primitive)
  if (object === undefined) return failed("The scene is full")
  const wrong = modify(object, params, state)
  if (wrong === undefined) return summary(object)
  state.scene.remove(object)
  return failed(wrong)
}

const change = onObject("path", (object, params, state) => {
  const wrong = modify(object, params, state)
  if (wrong !== undefined) return failed(wrong)
  object.name = textOf(params, "name", object.name)
  return { ...summary(object), modified: true }
})

const remove: Command = (params, state) => {
  const paths = [textOf(params, "path"), ...listOf(params, "paths").map(String)].filter((path) => path !== "")
  if (paths.length === 0) return failed("Either path or paths is required")
  const notFound: Array<string> = []
  const deleted: Array<string> = []
  for (const path of paths) {
    const object = state.scene.find(path)
    if (object === undefined) notFound.push(path)
    else {
      deleted.push(pathOf(object))
      state.scene.remove(object)
    }
  }
  if (deleted.length === 0) return missing(notFound.join(", "))
  return { deleted, deletedCount: deleted.length, notFound, notFoundCount: notFound.length }
}

const find: Command = (params, state) => {
  const name = textOf(params, "name").toLowerCase()
  const objects = state.scene.all.filter(
    (object) =>
      (name === "" ||
        (params["exactMatch"] === true
          ? object.name.toLowerCase() === name
          : object.name.toLowerCase().includes(name))) &&
      textOf(params, "tag", object.tag) === object.tag &&
      numberOf(params, "layer", object.layer) === object.layer,
  )
  return { count: objects.length, objects: objects.map(summary) }
}

const hierarchy: Command = (params, state) => {
  const rootPath = textOf(params, "rootPath")
  const root = rootPath === "" || rootPath === "/" ? undefined : state.scene.find(rootPath)
  if (root === undefined && rootPath !== "" && rootPath !== "/") return missing(rootPath)
  let left = Math.max(0, numberOf(params, "maxObjects", 1000))
  const maxDepth = numberOf(params, "maxDepth", 10)
  const node = (object: SceneObject, depth: number): unknown => {
    left--
    const children = () => visible(object.children).flatMap((child) => (left > 0 ? [node(child, depth + 1)] : []))
    const isDeeper = depth < maxDepth && object.children.length > 0
    if (params["nameOnly"] === true) {
      return isDeeper ? { name: object.name, children: children() } : { name: object.name }
    }
    return {
      name: object.name,
      path: pathOf(object),
      isActive: object.isActive,
      ...(params["includeComponents"] === true ? { components: object.components.map(({ type }) => type) } : {}),
      ...(params["includeTransform"] === true
        ? { transform: { position: object.position, rotation: object.rotation, scale: object.scale } }
        : {}),
      ...(params["includeTags"] === true ? { tag: object.tag } : {}),
      ...(params["includeLayers"] === true ? { layer: object.layer } : {}),
      ...(isDeeper ? { children: children() } : {}),
    }
  }
  const visible = (objects: ReadonlyArray<SceneObject>) =>
    objects.filter(({ isActive }) => isActive || params["includeInactive"] !== false)
  const nodes = visible(root?.children ?? state.scene.roots).flatMap((object) => (left > 0 ? [node(object, 0)] : []))
  return { sceneName: state.scene.name, objectCount: state.scene.all.length, hierarchy: nodes }
}

const details = onObject("gameObjectName", (object) => ({
  ...summary(object),
  components: object.components,
  children: object.children.map(summary),
}))

/** Carries something out on the component that the parameters name. */
const onComponent = (
  name: string,
  carryOut: (properties: Record<string, unknown>, params: Params, object: SceneObject) => unknown,
): Command =>
  onObject(name, (object, params, state) => {
    const type = textOf(params, "componentType")
    const found = object.components.filter((component) => component.type === type)
    const component = found[numberOf(params, "componentIndex", 0)]
    if (component === undefined)
      return failed(`Component not found: ${type} on ${pathOf(object)}`, "COMPONENT_NOT_FOUND")
    state.scene.isDirty = true
    return carryOut(component.properties, params, object)
  })

const addComponent = onObject("gameObjectPath", (object, params, state) => {
  const componentType = textOf(params, "componentType")
  if (!/^[A-Za-z_][\w.]*$/.test(componentType)) return failed(`Component type not found: ${componentType}`)
  object.components.push({ type: componentType, properties: { ...(params["properties"] as Params | undefined) } })
  state.scene.isDirty = true
  return { success: true, gameObjectPath: pathOf(object), componentType }
})

const setField = onComponent("gameObjectPath", (properties, params, object) => {
  const fieldPath = textOf(params, "fieldPath")
  const previousValue = Object.hasOwn(properties, fieldPath) ? properties[fieldPath] : null
  const value = params["value"] ?? params["enumValue"] ?? params["objectReference"] ?? null
  if (params["dryRun"] !== true) Object.defineProperty(properties, fieldPath, { value, ...plain })
  return { success: true, gameObjectPath: pathOf(object), fieldPath, previousValue, appliedValue: value }
})

/** A member like any other, also where its name is `__proto__`. */
const plain = { enumerable: true, configurable: true, writable: true }

export const sceneCommands: Readonly<Record<string, Command>> = {
  create_gameobject: create,
  modify_gameobject: change,
  delete_gameobject: remove,
  find_gameobject: find,
  get_hierarchy: hierarchy,
  get_gameobject_details: (params, state) =>
    details({ ...params, gameObjectName: params["gameObjectName"] ?? params["path"] }, state),
  find_by_component: (params, state) => {
    const type = textOf(params, "componentType")
    const found = state.scene.all.filter(({ components }) => components.some((component) => component.type === type))
    return { componentType: type, totalFound: found.length, results: found.map(summary) }
  },
  analyze_scene_contents: (_, state) => ({
    sceneName: state.scene.name,
    statistics: { totalGameObjects: state.scene.all.length, rootObjects: state.scene.roots.length },
  }),
  add_component: addComponent,
  remove_component: onObject("gameObjectPath", (object, params, state) => {
    const type = textOf(params, "componentType")
    const at = object.components.findIndex((component) => component.type === type)
    if (at < 0 || type === "Transform") return failed(`Component cannot be removed: ${type}`, "COMPONENT_NOT_FOUND")
    object.components.splice(at, 1)
    state.scene.isDirty = true
    return { success: true, gameObjectPath: pathOf(object), componentType: type }
  }),
  modify_component: onComponent("gameObjectPath", (properties, params, object) => {
    Object.assign(properties, params["properties"])
    return { success: true, gameObjectPath: pathOf(object), modifiedProperties: Object.keys(properties) }
  }),
  set_component_field: (params, state) =>
    state.isPlaying && params["runtime"] !== true
      ? failed("Not in play mode without runtime: true", "PLAY_MODE_BLOCKED")
      : setField(params, state),
  list_components: onObject("gameObjectPath", (object) => ({
    gameObjectPath: pathOf(object),
    componentCount: object.components.length,
    components: object.components.map(({ type }) => ({ type, enabled: true })),
  })),
  get_component_values: onComponent("gameObjectName", (properties, params, object) => ({
    gameObject: pathOf(object),
    componentType: textOf(params, "componentType"),
    properties,
  })),
  get_object_references: onObject("gameObjectName", (object) => ({
    gameObject: pathOf(object),
    references: { children: withChildren(object).slice(1).map(pathOf) },
  })),
}
