/**
 * What the fake of Blender remembers: a scene, its history, and the files that were saved.
 */
import { createHash } from "node:crypto"
import type { Vector } from "@zain/editor-link/fake/FakeScene"

export interface BlenderObject {
  readonly name: string
  readonly type: "MESH" | "LIGHT" | "CAMERA" | "EMPTY"
  readonly location: Vector
  readonly rotationEuler: Vector
  readonly scale: Vector
  readonly materials: ReadonlyArray<string>
  readonly parent: string | null
  readonly modifiers: ReadonlyArray<{
    readonly name: string
    readonly type: string
    readonly settings: Readonly<Record<string, unknown>>
  }>
  readonly isSelected: boolean
  /** What else belongs to it: its geometry, its light, its lens. */
  readonly data: Readonly<Record<string, unknown>>
}

export interface Colour {
  readonly r: number
  readonly g: number
  readonly b: number
}

/** All that a step can change. */
export interface BlenderScene {
  readonly objects: ReadonlyMap<string, BlenderObject>
  readonly materials: ReadonlyMap<string, Readonly<Record<string, unknown>>>
  readonly settings: Readonly<Record<string, unknown>>
}

export const [origin, unit] = [
  { x: 0, y: 0, z: 0 },
  { x: 1, y: 1, z: 1 },
]

export const object = (
  name: string,
  type: BlenderObject["type"],
  more: Partial<BlenderObject> = {},
): BlenderObject => ({
  name,
  type,
  location: origin,
  rotationEuler: origin,
  scale: unit,
  materials: [],
  parent: null,
  modifiers: [],
  isSelected: false,
  data: {},
  ...more,
})

/** The scene that Blender starts with. */
const first: BlenderScene = {
  objects: new Map(
    [
      object("Cube", "MESH", { materials: ["Material"], isSelected: true, data: { primitive: "cube" } }),
      object("Light", "LIGHT", { location: { x: 4, y: 1, z: 6 } }),
      object("Camera", "CAMERA", { location: { x: 7, y: -7, z: 5 } }),
    ].map((one) => [one.name, one]),
  ),
  materials: new Map([["Material", { color: { r: 0.8, g: 0.8, b: 0.8, a: 1 } }]]),
  settings: {},
}

/** It differs when anything but the selection does. */
export const digestOf = ({ materials, objects, settings }: BlenderScene): string => {
  const all = [...objects.values()].map(({ isSelected: _, ...rest }) => rest)
  return createHash("sha256")
    .update(JSON.stringify([all, [...materials], settings]))
    .digest("hex")
    .slice(0, 32)
}

const aspects: ReadonlyArray<readonly [name: string, of: (object: BlenderObject) => unknown]> = [
  ["transform", ({ location, rotationEuler, scale }) => [location, rotationEuler, scale]],
  ["material", ({ materials }) => materials],
  ["modifiers", ({ modifiers }) => modifiers],
  ["parent", ({ parent }) => parent],
  ["data", ({ data }) => data],
  ["selection", ({ isSelected }) => isSelected],
]

/** The render engine, by Blender's name. */
export const engineOf = ({ settings }: BlenderScene): string => {
  const { engine = "BLENDER_EEVEE" } = (settings["render"] ?? {}) as { readonly engine?: string }
  return engine.toUpperCase()
}

/** What is different in a scene from what it was. */
export const changesBetween = (before: BlenderScene, after: BlenderScene) => {
  const changed = [...after.objects.values()].flatMap((now) => {
    const then = before.objects.get(now.name)
    if (then === undefined) return []
    const isOther = (of: (object: BlenderObject) => unknown) => JSON.stringify(of(then)) !== JSON.stringify(of(now))
    const isRepainted = now.materials.some(
      (name) => JSON.stringify(before.materials.get(name)) !== JSON.stringify(after.materials.get(name)),
    )
    const found = aspects.filter(([name, of]) => isOther(of) || (name === "material" && isRepainted))
    return found.length === 0 ? [] : [{ name: now.name, aspects: found.map(([name]) => name) }]
  })
  return {
    created: [...after.objects.keys()].filter((name) => !before.objects.has(name)),
    changed,
    deleted: [...before.objects.keys()].filter((name) => !after.objects.has(name)),
    ...(engineOf(before) === engineOf(after) ? {} : { engine: engineOf(after) }),
  }
}

/** How many changes can be undone. */
const maxUndone = 32

export class BlenderState {
  scene = first
  file: string
  isDirty = false
  readonly saved = new Map<string, BlenderScene>()
  private readonly past: Array<BlenderScene> = []
  private readonly future: Array<BlenderScene> = []

  /** @param file the .blend file that is open, empty for none */
  constructor(file: string) {
    this.file = file
  }

  /** Takes up a scene that comes of this one. */
  commit(scene: BlenderScene) {
    this.past.push(this.scene)
    if (this.past.length > maxUndone) this.past.shift()
    this.future.length = 0
    this.scene = scene
    this.isDirty = true
  }

  /** Takes up the scene of a file, before which there is no history. */
  open(file: string, scene: BlenderScene) {
    this.past.length = 0
    this.future.length = 0
    this.scene = scene
    this.file = file
    this.isDirty = false
  }

  /** Goes back in the history, or forth; says whether there was anywhere to go. */
  move(isBack: boolean): boolean {
    const [from, to] = isBack ? [this.past, this.future] : [this.future, this.past]
    const scene = from.pop()
    if (scene === undefined) return false
    to.push(this.scene)
    this.isDirty = true
    this.scene = scene
    return true
  }
}
