/**
 * What Blender offers beside tools.
 */
import type { EditorContent, EditorFeatures } from "../domain/EditorFeatures.ts"
import * as BlenderCompletions from "./BlenderCompletions.ts"
import { prompts } from "./BlenderPrompts.ts"
import * as BlenderResources from "./BlenderResources.ts"

export const features = (content: EditorContent): EditorFeatures => ({
  resources: BlenderResources.resources,
  templates: BlenderResources.templates,
  read: BlenderResources.reading(content),
  prompts,
  complete: BlenderCompletions.completing(content),
})
