/**
 * Requests of the server to its client during a call, on the call's own stream if the transport has one.
 *
 * @see Model Context Protocol 2025-11-25, elicitation and sampling
 */
import type { AnySchema, SchemaOutput } from "@modelcontextprotocol/sdk/server/zod-compat.js"
import * as Effect from "effect/Effect"
import * as Lifecycle from "./Lifecycle.ts"
import type { CallExtra } from "./ToolServer.ts"

type SendRequest = CallExtra["sendRequest"]

/** Disables the SDK's own timeout: the caller sets a deadline. */
const never = 2 ** 31 - 1

/**
 * Sends a request to the client. An interruption sends it `notifications/cancelled`.
 *
 * @param extra the SDK's context of the call, whose id is sent in `_meta.requestId`: a client may have several calls under way
 * @param request the method and the parameters
 * @param schema the schema of the result
 * @returns the result. Fails with the client's JSON-RPC error as the SDK's `McpError`, or with the fault of the result
 */
export const send = <Schema extends AnySchema>(
  { requestId, sendRequest }: Pick<CallExtra, "requestId" | "sendRequest">,
  { method, params }: Parameters<SendRequest>[0],
  schema: Schema,
) =>
  Effect.callback<SchemaOutput<Schema>, unknown>((resume) => {
    const waiting = new AbortController()
    const _meta = { requestId: Lifecycle.givenId(requestId), ...params?._meta }
    const request = { method, params: { ...params, _meta } } as Parameters<SendRequest>[0]
    sendRequest(request, schema, { signal: waiting.signal, timeout: never }).then(
      (result) => resume(Effect.succeed(result)),
      (error: unknown) => resume(Effect.fail(error)),
    )
    return Effect.sync(() => waiting.abort("The request was cancelled."))
  })
