/**
 * `scene.query`: a GraphQL query of the scene.
 */
import * as Effect from "effect/Effect"
import type { Arguments, ToolContext } from "../../domain/Catalogue.ts"
import { ToolExecutionError } from "../../domain/DomainError.ts"
import * as BlenderBridge from "../BlenderBridge.ts"
import * as BlenderResult from "../BlenderResult.ts"
import type { GraphQlRequest } from "../GraphQl.ts"

export const run = Effect.fnUntraced(function* (args: Arguments, context: ToolContext) {
  const GraphQl = yield* Effect.promise(() => import("../GraphQl.ts"))
  const request = args as unknown as GraphQlRequest
  const response = yield* GraphQl.execute(BlenderBridge.services(context), request, true)
  const [error] = response.errors ?? []
  if (response.data !== undefined || error === undefined) return BlenderResult.make(response)
  return yield* new ToolExecutionError({
    message: error.message,
    delivery: "answered",
    reason: "editor",
    code: String(error.extensions?.["code"] ?? "INVALID_INPUT"),
    details: { errors: response.errors },
  })
})
