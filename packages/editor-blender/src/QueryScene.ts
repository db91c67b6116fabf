/**
 * `scene.query`: a GraphQL query of the scene.
 */

import type { Arguments, ToolContext } from "@zain/editor-link/domain/Catalogue"
import { ToolExecutionError } from "@zain/editor-link/domain/DomainError"
import * as Effect from "effect/Effect"
import * as BlenderBridge from "./BlenderBridge.ts"
import * as BlenderResult from "./BlenderResult.ts"
import type { GraphQlRequest, GraphQlResponse } from "./GraphQl.ts"

/** A document that was not executed is a failure; errors within data stand beside it. */
const resultOf = (response: GraphQlResponse) => {
  const [error] = response.errors ?? []
  if (response.data !== undefined || error === undefined)
    return Effect.succeed(BlenderResult.make({ success: true, ...response }))
  return Effect.fail(
    new ToolExecutionError({
      message: error.message,
      delivery: "answered",
      reason: "editor",
      code: String(error.extensions?.["code"] ?? "INVALID_INPUT"),
      details: { errors: response.errors },
    }),
  )
}

export const run = Effect.fnUntraced(function* (args: Arguments, context: ToolContext) {
  const GraphQl = yield* Effect.promise(() => import("./GraphQl.ts"))
  const request = args as unknown as GraphQlRequest
  return yield* BlenderBridge.use(context, (services) => GraphQl.execute(services, request, true), resultOf)
})
