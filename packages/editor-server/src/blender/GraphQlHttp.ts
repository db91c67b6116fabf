/**
 * GraphQL over HTTP: what `POST /graphql` and `GET /status` answer, without the server around them.
 */
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as ErrorCodes from "./ErrorCodes.ts"
import * as GraphQl from "./GraphQl.ts"
import type { Services } from "./Operations.ts"

/** `body`: JSON */
export interface HttpAnswer {
  readonly status: number
  readonly body: unknown
}

const refuse = (status: number, message: string): HttpAnswer => {
  const { message: said, ...extensions } = ErrorCodes.make({ code: "INVALID_INPUT", message })
  return { status, body: { errors: [{ message: said, extensions }] } }
}

/**
 * Answers `POST /graphql`: `{query, variables, operationName}`, and `application/json` alone.
 *
 * @param body of the request, as text
 * @returns 400 where nothing was executed, 415 for another media type, else 200
 */
export const answerGraphQl = (
  services: Services,
  contentType: string | undefined,
  body: string,
): Effect.Effect<HttpAnswer> => {
  if (!/^application\/json\s*(;|$)/i.test(contentType?.trim() ?? "")) {
    return Effect.succeed(refuse(415, "Content-Type is not application/json."))
  }
  const request = parsed(body)
  if (typeof request === "string") return Effect.succeed(refuse(400, request))
  return Effect.map(GraphQl.execute(services, request), (answer) => ({
    status: "data" in answer ? 200 : 400,
    body: answer,
  }))
}

/** The request, or what is wrong with it. */
const parsed = (body: string): GraphQl.GraphQlRequest | string => {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return "The body is not JSON."
  }
  if (!isRecord(value)) return "The body is not an object with `query`, `variables` and `operationName`."
  const { operationName = null, query, variables = null } = value
  if (typeof query !== "string") return "`query` is not a string."
  if (variables !== null && !isRecord(variables)) return "`variables` is not an object."
  if (operationName !== null && typeof operationName !== "string") return "`operationName` is not a string."
  return { query, variables, operationName }
}

/**
 * - `server`: its name and version
 * - `isInitialized`: whether a client of MCP has initialized a session
 * - `editor`: the state of the link to Blender, such as `Ready`
 */
export interface StatusFacts {
  readonly server: { readonly name: string; readonly version: string }
  readonly isInitialized: boolean
  readonly editor: string
}

/** Answers `GET /status`. */
export const status = ({ editor, isInitialized, server }: StatusFacts): HttpAnswer => ({
  status: 200,
  body: { status: "ok", server, initialized: isInitialized, editor },
})
