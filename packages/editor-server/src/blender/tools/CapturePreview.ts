/**
 * `scene.capturePreview`: a picture of the scene.
 */
import type { Arguments, ToolContext } from "../../domain/Catalogue.ts"
import * as BlenderCall from "../BlenderCall.ts"

const size = { width: 512, height: 512 }

export const run = (args: Arguments, context: ToolContext) =>
  BlenderCall.plain("preview.render", { ...size, ...args }, context)
