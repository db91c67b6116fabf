/**
 * `command.executeNatural`: a command in plain words.
 */
import * as Effect from "effect/Effect"
import type { Arguments, ToolContext } from "../../domain/Catalogue.ts"
import * as BlenderBridge from "../BlenderBridge.ts"

export const run = Effect.fnUntraced(function* ({ command, ...options }: Arguments, context: ToolContext) {
  const Operations = yield* Effect.promise(() => import("../Operations.ts"))
  const input = { command: String(command), options, hasContext: false }
  const done = Operations.executeNatural(BlenderBridge.services(context), input, options["preview"] !== undefined)
  return yield* Effect.flatMap(done, BlenderBridge.resultOf)
})
