/**
 * `model.iterate`: feedback on an object, and a picture of the result.
 */
import * as Effect from "effect/Effect"
import type { Arguments, ToolContext } from "../../domain/Catalogue.ts"
import * as BlenderBridge from "../BlenderBridge.ts"

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
  return yield* Effect.flatMap(Operations.iterate(BlenderBridge.services(context), input, true), BlenderBridge.resultOf)
})
