/**
 * What arguments of Blender's prompts and templates may be.
 */

import type { EditorContent, EditorFeatures } from "@zain/editor-link/domain/EditorFeatures"
import { languages } from "@zain/editor-link/domain/Language"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import { views } from "./Picture.ts"
import { primitives } from "./Steps.ts"

const texts = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : []).filter((one) => typeof one === "string")

export const completing = ({ read }: EditorContent): EditorFeatures["complete"] => {
  const objects = Effect.map(read("object.read", { fields: ["name"] }), (answer) =>
    isRecord(answer) && Array.isArray(answer["objects"])
      ? texts(answer["objects"].map((one) => (isRecord(one) ? one["name"] : undefined)))
      : [],
  )
  const materials = Effect.map(read("scene.read", { fields: ["materials"] }), (scene) =>
    isRecord(scene) ? texts(scene["materials"]) : [],
  )
  const known: Readonly<Record<string, ReturnType<EditorFeatures["complete"]>>> = {
    objectName: objects,
    object: objects,
    material: materials,
    view: Effect.succeed(views),
    primitive: Effect.succeed(primitives),
    language: Effect.succeed(languages),
  }
  return (argument) => (Object.hasOwn(known, argument) ? known[argument] : undefined) ?? Effect.succeed([])
}
