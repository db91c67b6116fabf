/**
 * A small scene in memory, with a console.
 */

export interface Vector {
  readonly x: number
  readonly y: number
  readonly z: number
}

export interface SceneComponent {
  readonly type: string
  readonly properties: Record<string, unknown>
}

/** An object of the scene. `layer`: 0 to 31. */
export interface SceneObject {
  readonly id: number
  name: string
  tag: string
  layer: number
  isActive: boolean
  position: Vector
  rotation: Vector
  scale: Vector
  parent: SceneObject | undefined
  readonly children: Array<SceneObject>
  readonly components: Array<SceneComponent>
}

/** A line of the console. */
export interface LogEntry {
  readonly type: "Log" | "Warning" | "Error"
  readonly message: string
  readonly at: string
}

/** How many objects a scene has at most, and how many lines its console. */
const [maxObjects, maxEntries] = [100_000, 1000]

const origin: Vector = { x: 0, y: 0, z: 0 }

/** The primitives, and the mesh and the collider of each. */
export const primitives: Readonly<Record<string, string>> = {
  cube: "BoxCollider",
  sphere: "SphereCollider",
  cylinder: "CapsuleCollider",
  capsule: "CapsuleCollider",
  plane: "MeshCollider",
  quad: "MeshCollider",
}

/** How the name of a primitive is written as an object's name. */
export const titled = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).toLowerCase()

export const pathOf = (object: SceneObject): string =>
  `${object.parent === undefined ? "" : pathOf(object.parent)}/${object.name}`

/** The object and all below it, each before its children. */
export const withChildren = (object: SceneObject): ReadonlyArray<SceneObject> => {
  const found = [object]
  for (const one of found) for (const child of one.children) found.push(child)
  return found
}

/** A scene with a camera and a light, as a new one has. */
export class FakeScene {
  name = "SampleScene"
  path = "Assets/Scenes/SampleScene.unity"
  isDirty = false
  readonly roots: Array<SceneObject> = []
  readonly console: Array<LogEntry> = []
  private lastId = 1000
  private count = 0

  constructor() {
    this.begin("SampleScene", "Assets/Scenes/SampleScene.unity")
  }

  /** Opens a new scene in the place of this one. */
  begin(name: string, path: string) {
    this.roots.length = 0
    this.count = 0
    Object.assign(this, { name, path })
    const camera = this.create("Main Camera", undefined, ["Camera", "AudioListener"])
    if (camera !== undefined) Object.assign(camera, { tag: "MainCamera", position: { x: 0, y: 1, z: -10 } })
    this.create("Directional Light", undefined, ["Light"])
    this.isDirty = false
  }

  /** `undefined` where the scene is full. */
  create(name: string, parent: SceneObject | undefined, components: ReadonlyArray<string>): SceneObject | undefined {
    if (this.count >= maxObjects) return undefined
    this.count++
    const object: SceneObject = {
      id: ++this.lastId,
      name,
      tag: "Untagged",
      layer: 0,
      isActive: true,
      position: origin,
      rotation: origin,
      scale: { x: 1, y: 1, z: 1 },
      parent,
      children: [],
      components: ["Transform", ...components].map((type) => ({ type, properties: {} })),
    }
    this.siblingsOf(object).push(object)
    this.isDirty = true
    return object
  }

  /** `primitive` in any case; without one the object is empty. */
  createPrimitive(name: string, parent: SceneObject | undefined, primitive: string | undefined) {
    const collider = primitives[primitive?.toLowerCase() ?? ""]
    return this.create(name, parent, collider === undefined ? [] : ["MeshFilter", "MeshRenderer", collider])
  }

  remove(object: SceneObject) {
    this.count -= withChildren(object).length
    this.leave(object)
    this.isDirty = true
  }

  /** False where the object would become its own ancestor. */
  move(object: SceneObject, parent: SceneObject | undefined): boolean {
    if (parent !== undefined && withChildren(object).includes(parent)) return false
    this.leave(object)
    object.parent = parent
    this.siblingsOf(object).push(object)
    this.isDirty = true
    return true
  }

  get all(): ReadonlyArray<SceneObject> {
    return this.roots.flatMap(withChildren)
  }

  /** By its path, with or without the first slash, or by its name alone. */
  find(path: string): SceneObject | undefined {
    const wanted = path.startsWith("/") ? path : `/${path}`
    return this.all.find((object) => pathOf(object) === wanted) ?? this.all.find(({ name }) => name === path)
  }

  log(type: LogEntry["type"], message: string) {
    this.console.push({ type, message, at: new Date().toISOString() })
    if (this.console.length > maxEntries) this.console.shift()
  }

  private siblingsOf(object: SceneObject) {
    return object.parent?.children ?? this.roots
  }

  private leave(object: SceneObject) {
    const siblings = this.siblingsOf(object)
    siblings.splice(siblings.indexOf(object), 1)
  }
}
