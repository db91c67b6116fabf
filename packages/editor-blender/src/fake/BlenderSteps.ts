/**
 * The steps of `steps.apply`, as the fake of Blender carries them out.
 */

import type { Vector } from "@zain/editor-link/fake/FakeScene"
import { listOf, numberOf, type Params, partOf, textOf, vectorOf } from "@zain/editor-link/fake/Params"
import { isRecord } from "@zain/process/JsonRpc"
import { type BlenderFailure, failure } from "./BlenderFailure.ts"
import { type BlenderObject, type BlenderScene, object, origin } from "./BlenderState.ts"

/** A scene that a step has changed, and the objects that it made or changed. */
interface Done {
  readonly scene: BlenderScene
  readonly names: ReadonlyArray<string>
}

type Step = (given: Params, scene: BlenderScene, path: ReadonlyArray<string | number>) => Done | BlenderFailure

const put = (scene: BlenderScene, ...objects: ReadonlyArray<BlenderObject>): Done => ({
  scene: { ...scene, objects: new Map([...scene.objects, ...objects.map((one) => [one.name, one] as const)]) },
  names: objects.map(({ name }) => name),
})

interface Names {
  readonly has: (name: string) => boolean
}

/** A name that none of these has: the one that is given, or with Blender's suffix. */
export const free = (name: string, ...taken: ReadonlyArray<Names>): string => {
  const isFree = (one: string) => !taken.some((names) => names.has(one))
  if (isFree(name)) return name
  const stem = name.replace(/\.\d{3}$/, "")
  for (let count = 1; ; count++) {
    const next = `${stem}.${String(count).padStart(3, "0")}`
    if (isFree(next)) return next
  }
}

const near = (name: string, names: Iterable<string>) =>
  [...names].filter((one) => one.toLowerCase().startsWith(name.slice(0, 2).toLowerCase()))

const missing = (name: string, { objects }: BlenderScene, path: ReadonlyArray<string | number>) =>
  failure("OBJECT_NOT_FOUND", `no object '${name}' in the scene`, { path, suggestions: near(name, objects.keys()) })

/** The objects that a step names, or which of them is not there. */
const named = (names: ReadonlyArray<unknown>, scene: BlenderScene, path: ReadonlyArray<string | number>) => {
  const found: Array<BlenderObject> = []
  for (const [at, name] of names.entries()) {
    const one = scene.objects.get(String(name))
    if (one === undefined) return missing(String(name), scene, [...path, at])
    found.push(one)
  }
  return found
}

/** A step on one object, which it names as `object`. */
const onObject =
  (
    change: (
      given: Params,
      object: BlenderObject,
      scene: BlenderScene,
      path: ReadonlyArray<string | number>,
    ) => Done | BlenderFailure,
  ): Step =>
  (given, scene, path) => {
    const name = String(given["object"])
    const one = scene.objects.get(name)
    return one === undefined ? missing(name, scene, [...path, "object"]) : change(given, one, scene, path)
  }

const placed = (given: Params, one: BlenderObject): BlenderObject => ({
  ...one,
  location: vectorOf(given, "location", one.location),
  rotationEuler: vectorOf(given, "rotationEuler", one.rotationEuler),
  scale: vectorOf(given, "scale", one.scale),
})

const sum = (one: Vector, other: Vector): Vector => ({ x: one.x + other.x, y: one.y + other.y, z: one.z + other.z })

const painted = ({ scene }: Done, one: BlenderObject, given: Params): Done => {
  const { name: _, object: __, ...values } = given
  const [own] = one.materials
  const isShared = [...scene.objects.values()].some((other) => other.name !== one.name && other.materials[0] === own)
  const usual = own === undefined || isShared ? free(own ?? one.name, scene.materials) : own
  const name = textOf(given, "name", usual)
  const materials = new Map([...scene.materials, [name, { ...scene.materials.get(name), ...values }] as const])
  return put({ ...scene, materials }, { ...one, materials: [name] })
}

/** Makes an object of a kind, or changes the one of this name. */
const kind =
  (type: "LIGHT" | "CAMERA", usual: string): Step =>
  (given, scene) => {
    const { name: _, transform: __, ...values } = given
    const found = scene.objects.get(textOf(given, "name", usual))
    const one = found?.type === type ? found : object(free(textOf(given, "name", usual), scene.objects), type)
    return put(scene, { ...placed(partOf(given, "transform"), one), data: { ...one.data, ...values } })
  }

const settings =
  (name: string): Step =>
  (given, scene) => ({ scene: { ...scene, settings: { ...scene.settings, [name]: given } }, names: [] })

const usualName = (primitive: string) =>
  primitive === "monkey" ? "Suzanne" : `${primitive.charAt(0).toUpperCase()}${primitive.slice(1)}`

const steps: Readonly<Record<string, Step>> = {
  create: (given, scene) => {
    const primitive = textOf(given, "primitive")
    const name = free(textOf(given, "name", usualName(primitive)), scene.objects)
    const type = primitive === "empty" ? "EMPTY" : "MESH"
    const made = placed(
      partOf(given, "transform"),
      object(name, type, { data: { primitive, ...partOf(given, "geometry") } }),
    )
    const done = put(scene, made)
    return isRecord(given["material"]) ? painted(done, made, given["material"]) : done
  },
  transform: onObject((given, one, scene) => {
    const isRelative = given["relative"] === true
    const next = placed(given, one)
    if (!isRelative) return put(scene, next)
    return put(scene, {
      ...next,
      location: sum(one.location, vectorOf(given, "location", origin)),
      rotationEuler: sum(one.rotationEuler, vectorOf(given, "rotationEuler", origin)),
    })
  }),
  material: onObject((given, one, scene, path) => {
    const { name, object: _, ...values } = given
    if (typeof name !== "string" || scene.materials.has(name) || Object.keys(values).length > 0) {
      return painted({ scene, names: [] }, one, given)
    }
    return failure("MATERIAL_NOT_FOUND", `no material '${name}'; with a color or another value it would be made`, {
      path: [...path, "name"],
      suggestions: near(name, scene.materials.keys()),
    })
  }),
  delete: (given, scene, path) => {
    const found = named(listOf(given, "objects"), scene, [...path, "objects"])
    if ("error" in found) return found
    const gone = new Set(found.map(({ name }) => name))
    return { scene: { ...scene, objects: new Map([...scene.objects].filter(([name]) => !gone.has(name))) }, names: [] }
  },
  duplicate: onObject((given, one, scene) => {
    const taken = new Set<string>()
    const offset = vectorOf(given, "offset", origin)
    let { location } = one
    const copies = Array.from({ length: numberOf(given, "count", 1) }, () => {
      const name = free(textOf(given, "name", one.name), scene.objects, taken)
      taken.add(name)
      location = sum(location, offset)
      return { ...one, name, location }
    })
    return put(scene, ...copies)
  }),
  select: (given, scene, path) => {
    const found = named(listOf(given, "objects"), scene, [...path, "objects"])
    if ("error" in found) return found
    const names = found.map(({ name }) => name)
    const mode = textOf(given, "mode", "set")
    const next = [...scene.objects.values()].map((one) => {
      if (names.includes(one.name)) return { ...one, isSelected: mode !== "remove" }
      return mode === "set" ? { ...one, isSelected: false } : one
    })
    return { ...put(scene, ...next), names }
  },
  parent: onObject((given, one, scene) =>
    put(scene, { ...one, parent: typeof given["parent"] === "string" ? given["parent"] : null }),
  ),
  modifier: onObject((given, one, scene, path) => {
    const type = textOf(given, "type")
    const name = textOf(given, "name", type)
    if (name === "") {
      const at = [...path, "type"]
      return failure("MISSING_FIELD", `${at.join(".")}: type or name is needed`, { path: at })
    }
    const others = one.modifiers.filter((modifier) => modifier.name !== name)
    if (type === "" && others.length === one.modifiers.length) {
      return failure("MODIFIER_NOT_FOUND", `'${one.name}' has no modifier '${name}'`, { path: [...path, "name"] })
    }
    const settings = partOf(given, "settings")
    return put(scene, { ...one, modifiers: given["remove"] === true ? others : [...others, { name, type, settings }] })
  }),
  light: kind("LIGHT", "Light"),
  camera: kind("CAMERA", "Camera"),
  world: settings("world"),
  render: settings("render"),
}

/** Carries out steps in order. */
export const apply = (
  all: ReadonlyArray<unknown>,
  before: BlenderScene,
):
  | BlenderFailure
  | { readonly scene: BlenderScene; readonly outcomes: ReadonlyArray<{ readonly names: ReadonlyArray<string> }> } => {
  let scene = before
  const outcomes: Array<{ readonly names: ReadonlyArray<string> }> = []
  for (const [at, step] of all.entries()) {
    const [[kind, given] = ["", {}]] = Object.entries(isRecord(step) ? step : {})
    const take = Object.hasOwn(steps, kind) ? steps[kind] : undefined
    if (take === undefined || !isRecord(given)) {
      return failure("INVALID_VALUE", "This is no step.", { path: ["steps", at] })
    }
    const done = take(given, scene, ["steps", at, kind])
    if ("error" in done) return done
    scene = done.scene
    outcomes.push({ names: done.names })
  }
  return { scene, outcomes }
}
