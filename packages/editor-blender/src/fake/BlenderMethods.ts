/**
 * The methods of the fake of Blender's bridge that its main thread serves.
 */
import { posix } from "node:path"
import { listOf, numberOf, type Params, partOf, textOf } from "@zain/editor-link/fake/Params"
import { type Colour, encode } from "@zain/editor-link/fake/PngImage"
import * as SceneImage from "@zain/editor-link/fake/SceneImage"
import { isRecord } from "@zain/process/JsonRpc"
import * as BlenderCode from "./BlenderCode.ts"
import { type BlenderFailure, failure, plainFailure } from "./BlenderFailure.ts"
import {
  type BlenderObject,
  type BlenderScene,
  type BlenderState,
  changesBetween,
  digestOf,
  engineOf,
} from "./BlenderState.ts"
import * as BlenderSteps from "./BlenderSteps.ts"

/** The directory that files are saved below. */
export const filesDirectory = "/projects/FakeBlends"

type Outcome = { readonly result: unknown } | BlenderFailure

const pick = (fields: ReadonlyArray<unknown>, of: Readonly<Record<string, () => unknown>>) =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const read = Object.hasOwn(of, String(field)) ? of[String(field)] : undefined
      return read === undefined ? [] : [[String(field), read()]]
    }),
  )

const namesOf = (objects: Iterable<BlenderObject>) => [...objects].map(({ name }) => name)

const grey = { r: 0.050876, g: 0.050876, b: 0.050876, a: 1 }
const white = { r: 1, g: 1, b: 1, a: 1 }

const plainMaterial = {
  color: { r: 0.8, g: 0.8, b: 0.8, a: 1 },
  ...{ metallic: 0, roughness: 0.5, emission: { r: 0, g: 0, b: 0, a: 1 }, emissionStrength: 1 },
}

/** The values, with an opacity where a colour has none. */
const opaque = (values: Params): Params =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isRecord(value) ? { a: 1, ...value } : value]),
  )

const readScene = (params: Params, { file, isDirty, scene }: BlenderState): Outcome => {
  const all = [...scene.objects.values()]
  const count = (type: string) => all.filter((one) => one.type === type).length
  const result = pick(listOf(params, "fields"), {
    name: () => "Scene",
    file: () => file,
    isDirty: () => isDirty,
    frame: () => 1,
    frameStart: () => 1,
    frameEnd: () => 250,
    unit: () => "METERS",
    engine: () => engineOf(scene),
    objectCount: () => all.length,
    objects: () => namesOf(all).slice(0, 1_000),
    counts: () => ({
      mesh: count("MESH"),
      light: count("LIGHT"),
      camera: count("CAMERA"),
      empty: count("EMPTY"),
      other: 0,
    }),
    activeObject: () => all.find(({ isSelected }) => isSelected)?.name ?? null,
    activeCamera: () => all.find(({ type }) => type === "CAMERA")?.name ?? null,
    collections: () => ["Collection"],
    materials: () => [...scene.materials.keys()],
    materialValues: () => [...scene.materials].map(([name, values]) => ({ ...plainMaterial, name, ...opaque(values) })),
    world: () => ({ color: grey, strength: 1, ...opaque(partOf(scene.settings, "world")) }),
    render: () => ({ width: 1920, height: 1080, samples: 64, ...partOf(scene.settings, "render") }),
    selected: () => namesOf(all.filter(({ isSelected }) => isSelected)),
    viewport: () => null,
    digest: () => digestOf(scene),
  })
  return { result }
}

const readObject = (fields: ReadonlyArray<unknown>, one: BlenderObject, scene: BlenderScene) => {
  const { isSelected, location, scale } = one
  const isMesh = one.type === "MESH"
  const side = (sign: number) => ({
    x: location.x + sign * scale.x,
    y: location.y + sign * scale.y,
    z: location.z + sign * scale.z,
  })
  return pick(fields, {
    ...Object.fromEntries(Object.entries(one).map(([name, value]) => [name, () => value])),
    dimensions: () => ({ x: 2 * scale.x, y: 2 * scale.y, z: 2 * scale.z }),
    boundingBox: () => (isMesh ? { min: side(-1), max: side(1) } : null),
    visible: () => true,
    selected: () => isSelected,
    modifiers: () => one.modifiers.map(({ name, type }) => ({ name, type })),
    modifierSettings: () => one.modifiers.map(({ settings }) => settings),
    light: () => {
      if (one.type !== "LIGHT") return null
      const { type = "point", ...values } = one.data
      return { energy: 1000, color: white, size: 0.1, ...opaque(values), type: String(type).toUpperCase() }
    },
    camera: () => (one.type === "CAMERA" ? { lens: 50, ...one.data } : null),
    children: () => namesOf([...scene.objects.values()].filter(({ parent }) => parent === one.name)),
    collections: () => ["Collection"],
    vertices: () => (isMesh ? 8 : null),
    edges: () => (isMesh ? 12 : null),
    faces: () => (isMesh ? 6 : null),
  })
}

const readObjects = (params: Params, { scene }: BlenderState): Outcome => {
  const fields = listOf(params, "fields")
  if (Array.isArray(params["names"])) {
    const objects = params["names"].map((name) => {
      const one = scene.objects.get(String(name))
      return one === undefined ? null : readObject(fields, one, scene)
    })
    return { result: { objects } }
  }
  const [type, part] = [textOf(params, "type").toUpperCase(), textOf(params, "name").toLowerCase()]
  const all = [...scene.objects.values()].filter(
    (one) =>
      (params["selected"] !== true || one.isSelected) &&
      (type === "" || one.type === type) &&
      one.name.toLowerCase().includes(part),
  )
  const offset = numberOf(params, "offset", 0)
  const some = all.slice(offset, offset + numberOf(params, "limit", 10_000))
  return { result: { objects: some.map((one) => readObject(fields, one, scene)) } }
}

const byte = (part: unknown) => Math.round(255 * Math.max(0, Math.min(1, Number(part) || 0)))

const render = (params: Params, scene: BlenderScene) => {
  const width = numberOf(params, "width", 512)
  const height = numberOf(params, "height", 512)
  const boxes = [...scene.objects.values()]
    .filter(({ type }) => type === "MESH")
    .map(({ location, materials, scale }) => {
      const color = scene.materials.get(materials[0] ?? "")?.["color"]
      const colour: Colour = isRecord(color) ? [byte(color["r"]), byte(color["g"]), byte(color["b"])] : [204, 204, 204]
      return { x: location.x, y: location.z, width: 2 * scale.x, height: 2 * scale.z, colour }
    })
  const bytes = encode(width, height, SceneImage.painter(boxes, width, height))
  return { mediaType: "image/png", width, height, base64: bytes.toString("base64") }
}

/** What becomes of a scene: taken up unless it was tried only, with what the result says of it. */
const settle = (params: Params, state: BlenderState, scene: BlenderScene) => {
  const before = state.scene
  const preview = isRecord(params["preview"])
    ? { preview: { before: render(params["preview"], before), after: render(params["preview"], scene) } }
    : {}
  const isDry = params["dryRun"] === true
  if (!isDry && scene !== before) state.commit(scene)
  return { changes: changesBetween(before, scene), digest: digestOf(isDry ? before : scene), ...preview }
}

const applySteps = (params: Params, state: BlenderState): Outcome => {
  const steps = listOf(params, "steps")
  if (steps.length < 1 || steps.length > 1_000) return plainFailure(-32602, "`steps` has 1 to 1000 elements.")
  const applied = BlenderSteps.apply(steps, state.scene)
  if ("error" in applied) return applied
  return { result: { outcomes: applied.outcomes, ...settle(params, state, applied.scene) } }
}

const runCode = (params: Params, state: BlenderState): Outcome => {
  const ran = BlenderCode.run(textOf(params, "code"), numberOf(params, "timeoutMs", 30_000))
  return "error" in ran ? ran : { result: { ...ran, ...settle(params, state, state.scene) } }
}

const move =
  (isBack: boolean) =>
  (_: Params, state: BlenderState): Outcome => {
    const before = state.scene
    const done = state.move(isBack)
    return { result: { done, changes: changesBetween(before, state.scene), digest: digestOf(state.scene) } }
  }

/** A path, which may be relative, or why no file may be there. */
const fileOf = (path: string, endings: ReadonlyArray<string> = [".blend"]): string | BlenderFailure => {
  const file = posix.resolve(filesDirectory, path)
  const refuse = (code: string, message: string, suggestions: ReadonlyArray<string> = []) =>
    failure(code, message, { path: ["path"], suggestions })
  if (!file.startsWith(`${filesDirectory}/`)) {
    const suggestions = ["Give a path below the directory that hello names as files"]
    return refuse("PERMISSION_DENIED", "the path is not below the bridge's directory for files", suggestions)
  }
  const expected = endings.length === 1 ? endings[0] : `one of ${endings.join(", ")}`
  return endings.some((ending) => file.endsWith(ending))
    ? file
    : refuse("INVALID_VALUE", `the path must end with ${expected}`)
}

/** Why a file is not written that exists. */
const takenOf = (file: string, params: Params, { saved }: BlenderState): BlenderFailure | undefined =>
  params["overwrite"] !== true && saved.has(file)
    ? failure("OPERATION_FAILED", `${posix.basename(file)} exists`, {
        path: ["path"],
        suggestions: ["Give another path, or overwrite: true"],
      })
    : undefined

const save = (params: Params, state: BlenderState): Outcome => {
  const file = fileOf(textOf(params, "path", state.file))
  if (typeof file !== "string") return file
  const taken = file === state.file ? undefined : takenOf(file, params, state)
  if (taken !== undefined) return taken
  state.saved.set(file, state.scene)
  state.file = file
  state.isDirty = false
  return { result: { file } }
}

const openFile = (params: Params, state: BlenderState): Outcome => {
  const file = fileOf(textOf(params, "path"))
  if (typeof file !== "string") return file
  const scene = state.saved.get(file)
  if (scene === undefined)
    return failure("RESOURCE_NOT_FOUND", "no such file below the bridge's directory", { path: ["path"] })
  const { isDirty } = state
  if (isDirty && params["discard"] !== true) {
    return failure("OPERATION_FAILED", "the scene has unsaved changes, which opening a file would lose", {
      suggestions: ["Save it first, or give discard: true"],
    })
  }
  state.open(file, scene)
  return { result: { file, ...(isDirty ? { discarded: `${filesDirectory}/copy.blend` } : {}) } }
}

const exchanged = [".glb", ".gltf", ".obj", ".fbx", ".stl", ".ply", ".usd", ".usda", ".usdc", ".usdz"]
const pictured = [".png", ".jpg", ".jpeg", ".exr", ".tif", ".tiff", ".webp"]

const exportFile = (params: Params, state: BlenderState): Outcome => {
  const file = fileOf(textOf(params, "path"), exchanged)
  if (typeof file !== "string") return file
  const taken = takenOf(file, params, state)
  if (taken !== undefined) return taken
  const objects = [...state.scene.objects].filter(([, one]) => params["selected"] !== true || one.isSelected)
  state.saved.set(file, { ...state.scene, objects: new Map(objects) })
  return { result: { files: [file] } }
}

/** Adds what is chosen of a file, under names that are free; the real one adds objects of collections too. */
const add =
  (endings: ReadonlyArray<string>) =>
  (params: Params, state: BlenderState): Outcome => {
    const file = fileOf(textOf(params, "path"), endings)
    if (typeof file !== "string") return file
    const from = state.saved.get(file)
    if (from === undefined)
      return failure("RESOURCE_NOT_FOUND", "no such file below the bridge's directory", { path: ["path"] })
    const kind = textOf(params, "kind", "objects")
    const found = { collections: ["Collection"], materials: [...from.materials.keys()] }[kind] ?? [
      ...from.objects.keys(),
    ]
    const chosen = Array.isArray(params["names"]) ? params["names"].map(String) : found
    const unknown = chosen.findIndex((name) => !found.includes(name))
    if (unknown >= 0) {
      const message = `the file has no '${chosen[unknown]}' among its ${kind}`
      return failure("RESOURCE_NOT_FOUND", message, { path: ["names", unknown] })
    }
    const [objects, materials] = [new Map(state.scene.objects), new Map(state.scene.materials)]
    const collections = new Set(["Collection"])
    const names = chosen.map((one) => {
      const [object, material] = [from.objects.get(one), from.materials.get(one)]
      const name = BlenderSteps.free(
        one,
        kind === "collections" ? collections : kind === "materials" ? materials : objects,
      )
      if (kind === "materials" && material !== undefined) materials.set(name, material)
      if (kind === "objects" && object !== undefined) objects.set(name, { ...object, name })
      return name
    })
    const { changes } = settle({}, state, { ...state.scene, objects, materials })
    return { result: { files: [file], missing: [], ...(endings === exchanged ? {} : { names }), changes } }
  }

const renderFrames = (params: Params, state: BlenderState): Outcome => {
  const file = fileOf(textOf(params, "path"), pictured)
  if (typeof file !== "string") return file
  const first = numberOf(params, "frame", 1)
  const last = numberOf(params, "lastFrame", first)
  const { dir, ext, name } = posix.parse(file)
  const files = Array.from({ length: last - first + 1 }, (_, at) =>
    params["lastFrame"] === undefined ? file : posix.join(dir, `${name}${String(first + at).padStart(4, "0")}${ext}`),
  )
  for (const one of files) {
    const taken = takenOf(one, params, state)
    if (taken !== undefined) return taken
  }
  for (const one of files) state.saved.set(one, state.scene)
  return { result: { files } }
}

const methods: Readonly<Record<string, (params: Params, state: BlenderState) => Outcome>> = {
  "scene.read": readScene,
  "object.read": readObjects,
  "steps.apply": applySteps,
  "code.run": runCode,
  "preview.render": (params, { scene }) => ({ result: render(params, scene) }),
  undo: move(true),
  redo: move(false),
  "file.open": openFile,
  "file.save": save,
  "file.import": add(exchanged),
  "file.export": exportFile,
  "file.append": add([".blend"]),
  "render.frames": renderFrames,
}

/** Carries out a method. */
export const call = (method: string, params: Params, state: BlenderState): Outcome => {
  const found = Object.hasOwn(methods, method) ? methods[method] : undefined
  return found === undefined ? plainFailure(-32601, `There is no method ${method}.`) : found(params, state)
}
