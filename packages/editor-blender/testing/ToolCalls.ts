/** A call of every tool of Blender that succeeds, in the order of the list, and arguments with which it fails. */

const preview = { width: 16, height: 16 }
const steps = [{ create: { primitive: "cube", name: "chair" } }]

export const toolCalls: ReadonlyArray<
  readonly [name: string, args: Record<string, unknown>, wrong: Record<string, unknown>]
> = [
  ["command_executeNatural", { command: "create a red cube", preview }, { command: "?" }],
  ["command_executeRaw", { pythonCode: "1 + 1" }, { pythonCode: "print(" }],
  ["scene_capturePreview", preview, { width: 1 }],
  ["model_iterate", { modelId: "Cube", feedback: "make it red" }, { modelId: "none", feedback: "make it red" }],
  ["command_apply", { steps, preview }, { steps: [{ delete: { objects: ["none"] } }] }],
  ["scene_query", { query: '{ scene { objects { name } none: object(name: "none") { name } } }' }, { query: "{" }],
  ["scene_undo", {}, { redo: 1 }],
  ["scene_save", { file: "a.blend" }, { file: "" }],
  ["scene_open", { file: "a.blend", discard: true }, { file: "none.blend" }],
  ["scene_export", { file: "a.glb" }, { file: "../a.glb" }],
  ["scene_import", { file: "a.glb" }, { file: "none.glb" }],
  ["scene_append", { file: "a.blend" }, { file: "none.blend" }],
  ["scene_render", { file: "a.png" }, { file: "a.gif" }],
]
