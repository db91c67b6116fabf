/**
 * What docs/reference/blender-gallery.md shows: calls of the tools of `zain-editor-mcp blender`, in order. `scene.undo` takes each entry
 * back to the stage.
 */

export interface Call {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** `pictures`: the captions of the pictures that the calls return, in order. */
export interface Entry {
  readonly name: string
  readonly title: string
  readonly text: string
  readonly calls: ReadonlyArray<Call>
  readonly pictures: ReadonlyArray<string>
}

type Vector = readonly [x: number, y: number, z: number]

const vector = ([x, y, z]: Vector) => ({ x, y, z })
const color = ([r, g, b]: Vector) => ({ r, g, b })
const at = (...location: Vector) => ({ location: vector(location) })

const apply = (...steps: ReadonlyArray<unknown>): Call => ({ tool: "command.apply", arguments: { steps } })
const say = (command: string): Call => ({ tool: "command.executeNatural", arguments: { command } })
const run = (pythonCode: string): Call => ({ tool: "command.executeRaw", arguments: { pythonCode } })
const picture = { view: "camera", width: 240, height: 180, samples: 64 }
const fine = { ...picture, samples: 100 }
const capture = (args: Call["arguments"]): Call => ({ tool: "scene.capturePreview", arguments: args })

const look = (from: Vector, to: Vector) => ({
  camera: { name: "Camera", transform: at(...from), lookAt: vector(to) },
})

const views = ["camera", "perspective", "top", "bottom", "front", "back", "left", "right"]

/** A round table in daylight. */
export const stage: Call = apply(
  { delete: { objects: ["Cube", "Light", "Camera"] } },
  { world: { color: color([0.3, 0.48, 0.7]), strength: 0.9 } },
  {
    light: {
      name: "Sun",
      type: "sun",
      energy: 3,
      color: color([1, 0.93, 0.82]),
      size: 0.05,
      transform: { rotationEuler: vector([0.7, 0.2, 0.6]) },
    },
  },
  {
    create: {
      primitive: "cylinder",
      name: "Table",
      geometry: { radius: 2.4, depth: 0.2, segments: 96 },
      transform: at(0, 0, -0.1),
      material: { color: color([0.75, 0.72, 0.66]), roughness: 0.9 },
    },
  },
  look([4.4, -6, 3.6], [0, 0, 0.5]),
)

const stairs = `import bpy
import bmesh
import math
from mathutils import Color

board = bmesh.new()
bmesh.ops.create_cube(board, size=1)
mesh = bpy.data.meshes.new("Step")
board.to_mesh(mesh)
mesh.materials.append(None)

for n in range(24):
    turn = n * math.pi / 8
    color = Color()
    color.hsv = n / 30, 0.8, 0.8
    paint = bpy.data.materials.new("Paint")
    paint.use_nodes = True
    paint.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (*color, 1)
    step = bpy.data.objects.new("Step", mesh)
    step.location = (0.75 * math.cos(turn), 0.75 * math.sin(turn), 0.06 + 0.12 * n)
    step.rotation_euler.z = turn
    step.scale = (1.5, 0.5, 0.12)
    step.material_slots[0].link = "OBJECT"
    step.material_slots[0].material = paint
    bpy.context.collection.objects.link(step)
`

export const entries: ReadonlyArray<Entry> = [
  {
    name: "steps",
    title: "Steps",
    text: "Objects with materials and a modifier.",
    calls: [
      apply(
        {
          create: {
            primitive: "sphere",
            name: "Ball",
            geometry: { radius: 0.85, segments: 64, rings: 32 },
            transform: at(-0.9, 0.5, 0.85),
            material: { color: color([0.8, 0.05, 0.04]), roughness: 0.35 },
          },
        },
        {
          create: {
            primitive: "cube",
            name: "Box",
            geometry: { size: 1.1 },
            transform: { ...at(0.95, 0.8, 0.55), rotationEuler: vector([0, 0, 0.4]) },
            material: { color: color([0.02, 0.15, 0.6]), roughness: 0.5 },
          },
        },
        { modifier: { object: "Box", type: "BEVEL", settings: { width: 0.08, segments: 4 } } },
        {
          create: {
            primitive: "cone",
            name: "Cone",
            geometry: { radius: 0.5, depth: 1.4, segments: 64 },
            transform: at(0.9, -0.8, 0.7),
            material: { color: color([0.9, 0.5, 0.03]), roughness: 0.5 },
          },
        },
        {
          create: {
            primitive: "torus",
            name: "Ring",
            geometry: { radius: 0.5, minorRadius: 0.16, segments: 96, rings: 24 },
            transform: at(-0.3, -1.1, 0.16),
            material: { color: color([0.05, 0.45, 0.15]), roughness: 0.3 },
          },
        },
      ),
      capture(picture),
    ],
    pictures: ["A red ball, a blue box, an orange cone and a green ring on a round table"],
  },
  {
    name: "english",
    title: "Commands in English",
    text: "Commands of these forms need no model.",
    calls: [
      ...[
        "create a white sphere named Body at (0, 0, 0.8)",
        "scale Body by 0.9",
        "create a white sphere named Head at (0, 0, 2)",
        "scale Head by 0.6",
        "create a black cylinder named Hat at (0, 0, 2.8)",
        "scale Hat by 0.36",
        "create an orange cone named Nose at (0.15, -0.75, 2)",
        "rotate Nose by 90 degrees around x",
        "scale Nose by 0.2",
        "create a black sphere named Left at (-0.1, -0.55, 2.2)",
        "create a black sphere named Right at (0.35, -0.5, 2.2)",
        "scale Left and Right by 0.08",
        "add a camera at (3.2, -8.6, 3.6) looking at (0, 0, 1.3)",
      ].map(say),
      capture(picture),
    ],
    pictures: ["A snowman with a black hat and an orange nose"],
  },
  {
    name: "japanese",
    title: "Commands in Japanese",
    text: "The same templates in Japanese; names may be Japanese too.",
    calls: [
      ...[
        "「台」という茶色の立方体を(0, 0, 0.6)に作成",
        "台を0.6倍に縮小",
        "台をZ軸で20度回転",
        "「団子1」という白い球を(-0.32, -0.28, 1.5)に作成",
        "「団子2」という白い球を(0.28, -0.32, 1.5)に作成",
        "「団子3」という白い球を(-0.28, 0.32, 1.5)に作成",
        "「団子4」という白い球を(0.32, 0.28, 1.5)に作成",
        "「団子5」という白い球を(0, 0, 1.95)に作成",
        "団子1、団子2、団子3、団子4、団子5を0.3倍に縮小",
        "「月」という黄色い球を(-1.4, 1.4, 1.9)に作成",
        "月を0.75倍に縮小",
        "(3, -8, 3.2)にカメラを追加して(0, 0, 1.1)に向ける",
      ].map(say),
      capture(picture),
    ],
    pictures: ["Dumplings on a stand before a yellow moon"],
  },
  {
    name: "python",
    title: "Python",
    text: "Needs a bridge that was started with `--code on`.",
    calls: [run(stairs), apply(look([4.6, -7.6, 4.4], [0, 0, 1.2])), capture(picture)],
    pictures: ["A spiral staircase in the colours of the rainbow"],
  },
  {
    name: "lights",
    title: "Lights",
    text: "Lights of three colours in a dark world.",
    calls: [
      apply(
        { world: { strength: 0 } },
        { delete: { objects: ["Sun"] } },
        {
          create: {
            primitive: "sphere",
            name: "Ball",
            geometry: { radius: 0.8, segments: 64, rings: 32 },
            transform: at(0, 0, 0.8),
            material: { color: color([0.9, 0.9, 0.9]), roughness: 0.4 },
          },
        },
        {
          light: {
            name: "Red",
            type: "spot",
            energy: 700,
            color: color([1, 0.03, 0.03]),
            size: 0.1,
            transform: { ...at(-4, -1, 4), rotationEuler: vector([0.2, -0.75, 0]) },
          },
        },
        {
          light: {
            name: "Green",
            type: "spot",
            energy: 700,
            color: color([0.03, 1, 0.03]),
            size: 0.1,
            transform: { ...at(4, -1, 4), rotationEuler: vector([0.2, 0.75, 0]) },
          },
        },
        {
          light: {
            name: "Blue",
            type: "spot",
            energy: 700,
            color: color([0.03, 0.1, 1]),
            size: 0.1,
            transform: { ...at(0, -4.5, 4), rotationEuler: vector([0.8, 0, 0]) },
          },
        },
      ),
      capture(fine),
    ],
    pictures: ["A white ball in red, green and blue light"],
  },
  {
    name: "before-after",
    title: "Before and after",
    text: "With `preview` the result has a picture from before the change and one from after it.",
    calls: [
      apply(
        {
          create: {
            primitive: "cube",
            name: "House",
            geometry: { size: 1.4 },
            transform: at(0.2, 0.2, 0.7),
            material: { color: color([0.8, 0.68, 0.45]) },
          },
        },
        {
          create: {
            primitive: "cone",
            name: "Roof",
            geometry: { radius: 1.2, depth: 0.9, segments: 4 },
            transform: { ...at(0.2, 0.2, 1.85), rotationEuler: vector([0, 0, 0.785]) },
            material: { color: color([0.6, 0.08, 0.04]) },
          },
        },
        {
          create: {
            primitive: "cube",
            name: "Door",
            geometry: { size: 1 },
            transform: { ...at(0.2, -0.5, 0.4), scale: vector([0.4, 0.1, 0.8]) },
            material: { color: color([0.1, 0.2, 0.5]) },
          },
        },
        {
          create: {
            primitive: "cone",
            name: "Tree",
            geometry: { radius: 0.5, depth: 1.5 },
            transform: at(-1.2, -0.6, 1),
            material: { color: color([0.05, 0.3, 0.08]) },
          },
        },
        {
          create: {
            primitive: "cylinder",
            name: "Trunk",
            geometry: { radius: 0.12, depth: 0.4 },
            transform: at(-1.2, -0.6, 0.15),
            material: { color: color([0.2, 0.1, 0.04]) },
          },
        },
      ),
      {
        tool: "command.apply",
        arguments: {
          steps: [
            { world: { color: color([0.05, 0.08, 0.25]), strength: 0.4 } },
            { delete: { objects: ["Sun"] } },
            {
              create: {
                primitive: "cube",
                name: "Window",
                geometry: { size: 0.36 },
                transform: { ...at(0.92, 0.1, 0.85), scale: vector([0.1, 1, 1]) },
                material: { emission: color([1, 0.6, 0.2]), emissionStrength: 1.5 },
              },
            },
            {
              light: {
                name: "Lamp",
                type: "point",
                energy: 40,
                color: color([1, 0.6, 0.25]),
                size: 0.1,
                transform: at(0.2, -0.9, 1.1),
              },
            },
          ],
          preview: fine,
        },
      },
    ],
    pictures: ["before", "after"],
  },
  {
    name: "views",
    title: "Views",
    text: "From the scene's camera, from a side, and from where all objects are seen (`perspective`).",
    calls: [
      apply(
        { delete: { objects: ["Table"] } },
        {
          create: {
            primitive: "monkey",
            name: "Monkey",
            geometry: { size: 3.2 },
            transform: at(0, 0, 0.5),
            material: { color: color([0.8, 0.35, 0.06]), roughness: 0.5 },
          },
        },
        { modifier: { object: "Monkey", type: "SUBSURF", settings: { levels: 2, render_levels: 2 } } },
      ),
      ...views.map((view) => capture({ ...picture, view, width: 128, height: 96 })),
    ],
    pictures: views,
  },
]
