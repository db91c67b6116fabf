/**
 * What a request needs to be read before its turn is sent: its schema, and its attachments.
 */
import * as Effect from "effect/Effect"
import type { AgentConnection, AgentRequest, Driver } from "./AgentConnection.ts"
import * as Attachments from "./Attachments.ts"
import type { Parsed as ParsedConfig } from "./McpConnectionConfig.ts"
import type { McpError } from "./McpError.ts"
import type { Parsed as ParsedRequest } from "./McpRequest.ts"
import * as OutputSchema from "./OutputSchema.ts"
import * as SessionFailure from "./SessionFailure.ts"
import * as StructuredTurn from "./StructuredTurn.ts"

/** Reads it when the request has its turn, and returns how the turn runs. Fails before anything is sent. */
export type Preparation = Effect.Effect<Run, McpError>

/** Runs a turn on a connection. */
export type Run = (
  connection: AgentConnection,
  turn: Parameters<AgentConnection["execute"]>[1],
) => ReturnType<AgentConnection["execute"]>

/** The preparation of a request; `undefined` for one that is sent as it is. */
export const of = (
  given: ParsedRequest,
  { maxAttachmentBytes }: Pick<ParsedConfig, "maxAttachmentBytes">,
  { provider, supports }: Pick<Driver, "provider" | "supports">,
): Preparation | undefined => {
  if (given.attachments === undefined && given.output === undefined) return undefined
  const { attachments, output, ...prompt } = given
  return Effect.gen(function* () {
    const schema = output === undefined ? undefined : yield* OutputSchema.read(output)
    const image = attachments?.findIndex(({ _tag }) => _tag === "Image") ?? -1
    if (image >= 0 && !supports.images) return yield* Effect.fail(SessionFailure.noImages(provider, image))
    const attached =
      attachments === undefined ? {} : yield* Attachments.read(prompt.content, attachments, maxAttachmentBytes)
    const request: AgentRequest = { ...prompt, ...attached }
    return (connection, turn) =>
      schema === undefined
        ? connection.execute(request, turn)
        : StructuredTurn.run(
            (...given) => connection.execute(...given),
            request,
            schema,
            supports.structured === true,
            turn,
          )
  })
}
