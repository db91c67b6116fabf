/**
 * What `POST /graphql` answers, without the server around it.
 */
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import type { EditorAnswer } from "../domain/EditorRoutes.ts"
import * as ErrorCodes from "./ErrorCodes.ts"
import * as GraphQl from "./GraphQl.ts"
import type { Services } from "./Operations.ts"

/**
 * @param body of the request: `{query, variables, operationName}`
 * @returns 400 where nothing was executed, else 200
 */
export const answer = (services: Services, body: unknown): Effect.Effect<EditorAnswer> => {
  const request = read(body)
  if (typeof request === "string") {
    const error = ErrorCodes.ofGraphQl({ code: "INVALID_INPUT", message: request })
    return Effect.succeed({ status: 400, body: { errors: [error] } })
  }
  return Effect.map(GraphQl.execute(services, request), (response) => ({
    status: "data" in response ? 200 : 400,
    body: response,
  }))
}

/** The request, or what is wrong with it. */
const read = (body: unknown): GraphQl.GraphQlRequest | string => {
  if (!isRecord(body)) return "The body is not an object with `query`, `variables` and `operationName`."
  const { operationName = null, query, variables = null } = body
  if (typeof query !== "string") return "`query` is not a string."
  if (variables !== null && !isRecord(variables)) return "`variables` is not an object."
  if (operationName !== null && typeof operationName !== "string") return "`operationName` is not a string."
  return { query, variables, operationName }
}
