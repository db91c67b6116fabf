/**
 * A bridge for tests: a small scene, no Blender, and a record of what it was asked.
 */
import { Effect } from "effect"
import type { Bridge, BridgeFailure, Params } from "../src/Bridge.ts"
import * as ExecutionStats from "../src/ExecutionStats.ts"
import * as GraphQl from "../src/GraphQl.ts"
import type { Payload, Services } from "../src/Operations.ts"

const at = { x: 0, y: 0, z: 0 }
const image = { mediaType: "image/png", width: 16, height: 16, base64: "iVBORw0KGgo=" }
const changes = { created: ["Cube.001"], changed: [{ name: "Cube", aspects: ["transform"] }], deleted: ["Old"] }

const scene: Params = {
  name: "Scene",
  file: "/work/chair.blend",
  isDirty: false,
  frame: 1,
  frameStart: 1,
  frameEnd: 250,
  unit: "METRIC",
  engine: "CYCLES",
  objectCount: 3,
  counts: { mesh: 1, light: 1, camera: 1, empty: 0, other: 0 },
  activeObject: "Cube",
  activeCamera: "Camera",
  objects: ["Cube", "Camera"],
  collections: ["Collection"],
  materials: ["Material"],
  materialValues: [],
  world: null,
  render: { width: 1920, height: 1080, samples: null },
  selected: ["Cube"],
  viewport: null,
  digest: "d1",
}

const cube: Params = {
  name: "Cube",
  type: "MESH",
  location: at,
  rotationEuler: at,
  scale: { x: 1, y: 1, z: 1 },
  dimensions: { x: 2, y: 2, z: 2 },
  boundingBox: { min: { x: -1, y: -1, z: -1 }, max: { x: 1, y: 1, z: 1 } },
  visible: true,
  selected: true,
  parent: null,
  children: [],
  collections: ["Collection"],
  materials: ["Material"],
  modifiers: [{ name: "Bevel", type: "BEVEL" }],
  modifierSettings: [{ segments: 1 }],
  light: null,
  camera: null,
  vertices: 8,
  edges: 12,
  faces: 6,
}

const of = (value: Params, { fields }: Params): Params =>
  Object.fromEntries((fields as ReadonlyArray<string>).map((field) => [field, value[field]]))

const applied = ({ preview }: Params): Params => ({
  changes,
  digest: "d2",
  ...(preview === undefined ? {} : { preview: { before: image, after: image } }),
})

const methods: Readonly<Record<string, (params: Params) => unknown>> = {
  health: () => ({ running: null, queued: 2, file: "" }),
  "scene.read": (params) => of(scene, params),
  "object.read": (params) => ({
    objects: ((params["names"] as ReadonlyArray<string> | undefined) ?? ["Cube"]).map((name) =>
      name === "Cube" ? of(cube, params) : null,
    ),
  }),
  "steps.apply": (params) => ({
    ...applied(params),
    outcomes: (params["steps"] as ReadonlyArray<unknown>).map((_, step) => ({ names: [`Made ${step}`] })),
  }),
  "code.run": (params) => ({ ...applied(params), output: "printed\n", value: { seen: params["code"] } }),
  "preview.render": ({ height, width }) => ({ ...image, width, height }),
  undo: () => ({ done: true, changes, digest: "d0" }),
  redo: () => ({ done: false, changes, digest: "d0" }),
  "file.open": ({ path }) => ({ file: path }),
  "file.save": ({ path = scene["file"] }) => ({ file: path }),
  "file.import": ({ path }) => ({ files: [path], missing: ["/elsewhere/wood.png"], changes }),
  "file.export": ({ path }) => ({ files: [path, "/work/chair.bin"] }),
  "file.append": ({ names, path }) => ({ files: [path], missing: [], names, changes }),
  "render.frames": ({ path }) => ({ files: [path] }),
}

/**
 * - `ended`: each request, when it ended
 */
export interface StubBridge {
  readonly services: Services
  /** Each request, when it began. */
  readonly asked: Array<readonly [method: string, params: Params]>
  readonly log: Array<string>
  readonly execute: (query: string, variables?: Params) => Effect.Effect<GraphQl.GraphQlResponse>
}

/** @param instead answers of single methods, in place of the scene's */
export const make = (
  instead: Readonly<Record<string, Effect.Effect<unknown, BridgeFailure>>> = {},
  more: Partial<Services> = {},
): StubBridge => {
  const asked: StubBridge["asked"] = []
  const log: Array<string> = []
  const request: Bridge["request"] = (method, params) =>
    Effect.suspend(() => {
      asked.push([method, params])
      return instead[method] ?? Effect.sync(() => methods[method]?.(params))
    })
  const services = {
    bridge: { request },
    stats: ExecutionStats.make(),
    log: (event: string, detail: string) => {
      log.push(`${event}: ${detail}`)
    },
    ...more,
  }
  return { services, asked, log, execute: (query, variables) => GraphQl.execute(services, { query, variables }) }
}

/** The payload of the only mutation of an answer. */
export const payloadIn = (answer: GraphQl.GraphQlResponse): Payload => {
  let value: unknown = answer.data
  while (typeof value === "object" && value !== null && !("success" in value)) value = Object.values(value)[0]
  return value as Payload
}
