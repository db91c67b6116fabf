/**
 * What Blender offers beside tools.
 */
import type { EditorContent, EditorFeatures } from "../domain/EditorFeatures.ts"
import * as BlenderCompletions from "./BlenderCompletions.ts"
import { prompts } from "./BlenderPrompts.ts"
import * as BlenderResources from "./BlenderResources.ts"

/** @param isCodeOn whether Python code of clients runs in Blender */
export const features =
  (isCodeOn: boolean) =>
  (content: EditorContent): EditorFeatures => ({
    resources: BlenderResources.resources,
    fixed: BlenderResources.fixed,
    templates: BlenderResources.templates,
    read: BlenderResources.reading(content),
    prompts: prompts(isCodeOn),
    complete: BlenderCompletions.completing(content),
  })
