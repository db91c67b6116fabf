/**
 * What a server asks its client while a call is under way: on the call's own stream, where the transport has one.
 *
 * @see Model Context Protocol 2025-11-25, elicitation and sampling
 */
import type { AnySchema, SchemaOutput } from "@modelcontextprotocol/sdk/server/zod-compat.js"
import * as Effect from "effect/Effect"
import * as Lifecycle from "./Lifecycle.ts"
import type { CallExtra } from "./ToolServer.ts"

type SendRequest = CallExtra["sendRequest"]

/** The SDK's own limit, out of the way: deadlines are the caller's. */
const never = 2 ** 31 - 1

/**
 * Sends a request to the client. An interruption sends it `notifications/cancelled`.
 *
 * @param extra of the call that the request is about; its id is in `_meta.requestId`, as a client may have several under way
 * @param schema of the result
 * @returns the result. Fails with the `McpError` that the client answered, or with what is wrong with its result
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
