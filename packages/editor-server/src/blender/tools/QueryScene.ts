/**
 * `scene.query`: a GraphQL query of the scene.
 */
import type { Arguments, ToolContext } from "../../domain/Catalogue.ts"
import * as BlenderCall from "../BlenderCall.ts"

export const run = (_args: Arguments, _context: ToolContext) => BlenderCall.notYet("scene.query")
