/**
 * What a model builds in Blender: a red table on a floor, a light and a camera, and a picture of them.
 */
import { blenderTools } from "@zain/editor-blender/BlenderTools"
import type { Tools } from "./EditorStory.ts"

/** The size of the picture. */
export const picture = { width: 320, height: 240 }

const vector = (x: number, y: number, z: number) => ({ x, y, z })
const red = { name: "Red", color: { r: 0.6, g: 0.03, b: 0.02 } }
const grey = { name: "Grey", color: { r: 0.5, g: 0.5, b: 0.5 } }

const box = (name: string, location: object, scale: object) => ({
  create: { primitive: "cube", name, geometry: { size: 1 }, transform: { location, scale }, material: red },
})

const legs = [-1, 1].flatMap((x) => [-1, 1].map((y) => [x, y] as const))
const legNames = legs.map((_, at) => `Leg ${at + 1} of the table`)

const table = [
  { delete: { objects: ["Cube", "Light", "Camera"] } },
  { create: { primitive: "plane", name: "Floor", geometry: { size: 12 }, material: grey } },
  box("Top of the table", vector(0, 0, 1), vector(2.4, 1.6, 0.12)),
  ...legs.map(([x, y], at) => box(`Leg ${at + 1} of the table`, vector(x, 0.6 * y, 0.5), vector(0.15, 0.15, 1))),
]

const stage = [
  {
    light: {
      name: "Lamp",
      type: "area",
      energy: 400,
      size: 2,
      transform: { location: vector(2, -2, 4), rotationEuler: vector(0.7, 0, 0.8) },
    },
  },
  { camera: { name: "Eye", transform: { location: vector(3.5, -5, 3.2) }, lookAt: "Top of the table" } },
  { world: { color: { r: 0.4, g: 0.5, b: 0.7 }, strength: 0.5 } },
]

const lists = `{
  scene {
    context { counts { mesh light camera } activeCamera materials }
    top: object(name: "Top of the table") { name materials dimensions { x y z } }
    last: object(name: "Leg 4 of the table") { name }
  }
}`

export const made = ["Floor", "Top of the table", ...legNames, "Lamp", "Eye"]

export const blenderTable: Tools = {
  listed: blenderTools.map(({ name }) => name),
  build: [
    ["command.apply", { steps: table }],
    ["command.apply", { steps: stage }],
    ["scene.capturePreview", { ...picture, view: "camera", samples: 32 }],
  ],
  made: ["Top of the table", "Leg 4 of the table", "Eye"],
  find: ["scene.query", { query: lists }],
}
