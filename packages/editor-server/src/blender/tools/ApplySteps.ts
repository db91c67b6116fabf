/**
 * `command.apply`: steps, all of them or none.
 */
import type { Arguments, ToolContext } from "../../domain/Catalogue.ts"
import * as BlenderCall from "../BlenderCall.ts"

export const run = (args: Arguments, context: ToolContext) => BlenderCall.timed("steps.apply", args, context)
