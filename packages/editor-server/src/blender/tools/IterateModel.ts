/**
 * `model.iterate`: feedback on an object, and a picture of the result.
 */
import * as Effect from "effect/Effect"
import type { Arguments, ToolContext } from "../../domain/Catalogue.ts"
import * as BlenderBridge from "../BlenderBridge.ts"
import type { Services } from "../Operations.ts"

const size = { width: 512, height: 512 }

export const run = Effect.fnUntraced(function* (
  { feedback, modelId, renderOptions = {} }: Arguments,
  context: ToolContext,
) {
  const Operations = yield* Effect.promise(() => import("../Operations.ts"))
  const input = {
    modelId: String(modelId),
    feedback: String(feedback),
    renderOptions: { ...size, ...(renderOptions as Arguments) },
  }
  const work = (services: Services) => Operations.iterate(services, input, true)
  return yield* BlenderBridge.use(context, work, BlenderBridge.resultOf)
})
