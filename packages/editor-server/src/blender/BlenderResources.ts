/**
 * The scene as MCP resources.
 */
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import type { DomainError } from "../domain/DomainError.ts"
import type {
  EditorContent,
  EditorFeatures,
  EditorResource,
  EditorResourceTemplate,
  FixedResource,
  ResourceContents,
} from "../domain/EditorFeatures.ts"
import * as BlenderResult from "./BlenderResult.ts"
import * as Steps from "./Steps.ts"

/** All of `scene.read` that is a property of the scene: its selection is a resource of its own. */
const sceneFields = [
  "name",
  "file",
  "isDirty",
  "frame",
  "frameStart",
  "frameEnd",
  "unit",
  "engine",
  "objectCount",
  "objects",
].concat([
  "counts",
  "activeObject",
  "activeCamera",
  "collections",
  "materials",
  "world",
  "render",
  "viewport",
  "digest",
])

/** All of `object.read`. */
const objectFields = [
  "name",
  "type",
  "location",
  "rotationEuler",
  "scale",
  "dimensions",
  "boundingBox",
  "visible",
].concat([
  "selected",
  "parent",
  "children",
  "collections",
  "materials",
  "modifiers",
  "modifierSettings",
  "light",
  "camera",
  "vertices",
  "edges",
  "faces",
])

const json = "application/json"
const contextUri = "blender://scene/context"
const selectedUri = "blender://scene/selected"
const previewUri = "blender://scene/preview"
const sceneUri = "blender://scene"
const objectPrefix = "blender://object/"

export const resources: ReadonlyArray<EditorResource> = [
  {
    uri: contextUri,
    name: "Scene context",
    description:
      "The scene: its name, file, frames, engine, the names of its first 1,000 objects and their number, collections, materials, world, render settings and viewport.",
    mimeType: json,
  },
  { uri: selectedUri, name: "Selected objects", description: "The objects that are selected.", mimeType: json },
  {
    uri: previewUri,
    name: "Scene preview",
    description: "A picture of the scene, 512 pixels wide and high.",
    mimeType: "image/png",
  },
  {
    uri: sceneUri,
    name: "Scene",
    description: "The context, the selected objects and the preview of the scene, together.",
    mimeType: json,
  },
]

export const fixed: ReadonlyArray<FixedResource> = [
  {
    uri: "blender://steps/schema",
    name: "Steps",
    description: "The JSON Schema of the steps that command_apply takes.",
    mimeType: "application/schema+json",
    text: BlenderResult.json(Steps.schema),
  },
]

export const templates: ReadonlyArray<EditorResourceTemplate> = [
  {
    uriTemplate: `${objectPrefix}{objectName}`,
    name: "Object",
    description: "One object, by its name.",
    mimeType: json,
  },
]

type Read = Effect.Effect<ReadonlyArray<ResourceContents>, DomainError>

const text = (uri: string, value: unknown): ReadonlyArray<ResourceContents> => [
  { uri, mimeType: json, text: BlenderResult.json(value) },
]

const objectsOf = (answer: unknown): ReadonlyArray<unknown> => {
  const objects = isRecord(answer) ? answer["objects"] : undefined
  return Array.isArray(objects) ? objects : []
}

/** The name in the URI of an object, as RFC 6570 writes it. */
const nameIn = (uri: string): string | undefined => {
  if (!uri.startsWith(objectPrefix) || uri.length === objectPrefix.length) return undefined
  try {
    return decodeURIComponent(uri.slice(objectPrefix.length))
  } catch {
    return undefined
  }
}

export const reading = ({ read }: EditorContent): EditorFeatures["read"] => {
  const context = Effect.map(read("scene.read", { fields: sceneFields }), (scene) => text(contextUri, scene))
  const selected = Effect.map(read("object.read", { fields: objectFields, selected: true }), (answer) =>
    text(selectedUri, objectsOf(answer)),
  )
  const preview: Read = Effect.map(read("preview.render", { width: 512, height: 512 }), (picture) =>
    BlenderResult.isPicture(picture) ? [{ uri: previewUri, mimeType: picture.mediaType, blob: picture.base64 }] : [],
  )
  const known: Readonly<Record<string, Read>> = {
    [contextUri]: context,
    [selectedUri]: selected,
    [previewUri]: preview,
    [sceneUri]: Effect.map(Effect.all([context, selected, preview], { concurrency: "unbounded" }), (all) => all.flat()),
  }
  const object = (uri: string, name: string) =>
    Effect.map(read("object.read", { fields: objectFields, names: [name] }), (answer) => {
      const [found] = objectsOf(answer)
      return isRecord(found) ? text(uri, found) : undefined
    })
  return (uri) => {
    const fixed = Object.hasOwn(known, uri) ? known[uri] : undefined
    if (fixed !== undefined) return fixed
    const name = nameIn(uri)
    return name === undefined ? Effect.undefined : object(uri, name)
  }
}
