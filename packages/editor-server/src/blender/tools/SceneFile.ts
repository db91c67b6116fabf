/**
 * `scene.save` and `scene.open`: the scene and its file.
 */
import type { Arguments, ToolContext } from "../../domain/Catalogue.ts"
import * as BlenderCall from "../BlenderCall.ts"

export const run =
  (method: "file.save" | "file.open") =>
  ({ file }: Arguments, context: ToolContext) =>
    BlenderCall.plain(method, file === undefined ? {} : { path: file }, context)
