/**
 * Calls of the bridge on behalf of tools, and their results.
 */
import * as Effect from "effect/Effect"
import type { Arguments, ToolContext } from "../domain/Catalogue.ts"
import * as BlenderResult from "./BlenderResult.ts"

/** How long steps and code may take in Blender, in milliseconds. */
export const usualTimeout = 30_000

export const plain = (method: string, params: Arguments, { send }: ToolContext) =>
  Effect.map(send(method, params), BlenderResult.make)

/** A call with a time limit of its own in Blender. */
export const timed = (method: string, params: Arguments, context: ToolContext) =>
  plain(method, { timeoutMs: usualTimeout, ...params }, context)
