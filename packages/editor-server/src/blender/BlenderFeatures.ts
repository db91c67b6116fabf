/**
 * What Blender offers beside tools.
 */
import type { EditorContent, EditorFeatures } from "../domain/EditorFeatures.ts"
import type { Language } from "../domain/Language.ts"
import * as BlenderCompletions from "./BlenderCompletions.ts"
import { prompts } from "./BlenderPrompts.ts"
import * as BlenderResources from "./BlenderResources.ts"

/**
 * @param isCodeOn whether Python code of clients runs in Blender
 * @param language of descriptions
 */
export const features =
  (isCodeOn: boolean, language: Language) =>
  (content: EditorContent): EditorFeatures => ({
    ...BlenderResources.listed(language),
    read: BlenderResources.reading(content),
    prompts: prompts(isCodeOn, language),
    complete: BlenderCompletions.completing(content),
  })
