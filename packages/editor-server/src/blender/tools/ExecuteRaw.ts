/**
 * `command.executeRaw`: Python in Blender.
 */
import type { Arguments, ToolContext } from "../../domain/Catalogue.ts"
import * as BlenderCall from "../BlenderCall.ts"

export const run = ({ pythonCode, ...args }: Arguments, context: ToolContext) =>
  BlenderCall.timed("code.run", { code: pythonCode, ...args }, context)
