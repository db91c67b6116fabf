/**
 * `scene.undo`: the last change of the scene is undone, or done again.
 */
import type { Arguments, ToolContext } from "../../domain/Catalogue.ts"
import * as BlenderCall from "../BlenderCall.ts"

export const run = ({ redo = false }: Arguments, context: ToolContext) =>
  BlenderCall.plain(redo === true ? "redo" : "undo", {}, context)
