/**
 * `command.executeNatural`: a command in plain words.
 */
import * as Effect from "effect/Effect"
import type { Arguments, ToolContext } from "../../domain/Catalogue.ts"
import * as BlenderBridge from "../BlenderBridge.ts"
import type { Services } from "../Operations.ts"

export const run = Effect.fnUntraced(function* ({ command, ...options }: Arguments, context: ToolContext) {
  const Operations = yield* Effect.promise(() => import("../Operations.ts"))
  const input = { command: String(command), options, hasContext: false }
  const hasPreview = options["preview"] !== undefined
  const work = (services: Services) => Operations.executeNatural(services, input, hasPreview)
  return yield* BlenderBridge.use(context, work, BlenderBridge.resultOf)
})
