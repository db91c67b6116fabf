/**
 * The scene as MCP resources.
 */

import type { DomainError } from "@zain/editor-link/domain/DomainError"
import type { EditorContent, EditorFeatures, ResourceContents } from "@zain/editor-link/domain/EditorFeatures"
import { describedIn, type Language } from "@zain/editor-link/domain/Language"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as BlenderResult from "./BlenderResult.ts"
import * as Steps from "./Steps.ts"

const words = (text: string) => text.split(" ")

/** All of `scene.read` that is a property of the scene: its selection is a resource of its own. */
const sceneFields = words(
  "name file isDirty frame frameStart frameEnd unit engine objectCount objects counts activeObject activeCamera collections materials world render viewport digest",
)

/** All of `object.read`. */
const objectFields = words(
  "name type location rotationEuler scale dimensions boundingBox visible selected parent children collections materials modifiers modifierSettings light camera vertices edges faces",
)

const json = "application/json"
const contextUri = "blender://scene/context"
const selectedUri = "blender://scene/selected"
const previewUri = "blender://scene/preview"
const sceneUri = "blender://scene"
const objectPrefix = "blender://object/"

const resources = [
  {
    uri: contextUri,
    name: "Scene context",
    title: { en: "Scene context", ja: "シーンコンテキスト" },
    description: {
      en: "The scene: its name, file, frames, engine, the names of its first 1,000 objects and their number, collections, materials, world, render settings and viewport.",
      ja: "シーンの名前、ファイル、フレーム、エンジン、先頭 1,000 個のオブジェクトの名前と総数、コレクション、マテリアル、ワールド、レンダー設定、ビューポート。",
    },
    mimeType: json,
  },
  {
    uri: selectedUri,
    name: "Selected objects",
    title: { en: "Selected objects", ja: "選択オブジェクト" },
    description: { en: "The objects that are selected.", ja: "選択されているオブジェクト。" },
    mimeType: json,
  },
  {
    uri: previewUri,
    name: "Scene preview",
    title: { en: "Scene preview", ja: "シーンのプレビュー" },
    description: {
      en: "A picture of the scene, 512 pixels wide and high.",
      ja: "シーンの画像。幅と高さは 512 ピクセル。",
    },
    mimeType: "image/png",
  },
  {
    uri: sceneUri,
    name: "Scene",
    title: { en: "Scene", ja: "シーン" },
    description: {
      en: "The context, the selected objects and the preview of the scene, together.",
      ja: "シーンのコンテキスト、選択オブジェクト、プレビューをまとめたもの。",
    },
    mimeType: json,
  },
]

const fixed = [
  {
    uri: "blender://steps/schema",
    name: "Steps",
    title: { en: "Steps", ja: "手順" },
    description: {
      en: "The JSON Schema of the steps that command_apply takes.",
      ja: "command_apply が受け取る手順の JSON Schema。",
    },
    mimeType: "application/schema+json",
    text: BlenderResult.json(Steps.schema),
  },
]

const templates = [
  {
    uriTemplate: `${objectPrefix}{objectName}`,
    name: "Object",
    title: { en: "Object", ja: "オブジェクト" },
    description: { en: "One object, by its name.", ja: "名前で指定する 1 つのオブジェクト。" },
    mimeType: json,
  },
]

/** What clients list, in a language. */
export const listed = (language: Language): Pick<EditorFeatures, "resources" | "fixed" | "templates"> => ({
  resources: resources.map(describedIn(language)),
  fixed: fixed.map(describedIn(language)),
  templates: templates.map(describedIn(language)),
})

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
