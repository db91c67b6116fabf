/**
 * What a request needs to be read before its turn is sent: its schema, and its attachments.
 */
import * as Effect from "effect/Effect"
import type { AgentConnection, AgentRequest, Answer, Driver, Turn } from "./AgentConnection.ts"
import * as Attachments from "./Attachments.ts"
import type { Parsed as ParsedConfig } from "./McpConnectionConfig.ts"
import type { McpError } from "./McpError.ts"
import type { Parsed as ParsedRequest } from "./McpRequest.ts"
import * as OutputSchema from "./OutputSchema.ts"
import * as SessionFailure from "./SessionFailure.ts"
import * as StructuredTurn from "./StructuredTurn.ts"

/** A request that needs it. */
export interface Preparation {
  /** Whether the request has a schema, which checks `structured` of the answer. */
  readonly hasSchema: boolean
  /** Reads it when the request has its turn, and returns how the turn runs. Fails before anything is sent. */
  readonly read: Effect.Effect<Run, McpError>
}

/** Runs a turn on a connection. */
export type Run = (connection: AgentConnection, turn: Turn) => Effect.Effect<Answer, McpError>

/** The preparation of a request; `undefined` for one that is sent as it is. */
export const of = (
  { attachments, content, deadline, output, providerOptions }: ParsedRequest,
  { maxAttachmentBytes }: Pick<ParsedConfig, "maxAttachmentBytes">,
  { provider, supports }: Pick<Driver, "provider" | "supports">,
): Preparation | undefined => {
  const isOptionless = providerOptions === undefined || supports.turnOptions === true
  if (attachments === undefined && output === undefined && isOptionless) return undefined
  const read = Effect.gen(function* () {
    if (!isOptionless) return yield* Effect.fail(SessionFailure.noTurnOptions(provider))
    const schema = output === undefined ? undefined : yield* OutputSchema.read(output)
    const image = attachments?.findIndex(({ _tag }) => _tag === "Image") ?? -1
    if (image >= 0 && !supports.images) return yield* Effect.fail(SessionFailure.noImages(provider, image))
    const attached = yield* Attachments.read(content, attachments ?? [], maxAttachmentBytes)
    const request: AgentRequest = {
      ...(deadline === undefined ? {} : { deadline }),
      ...(providerOptions === undefined ? {} : { providerOptions }),
      ...attached,
    }
    const run: Run = (connection, turn) =>
      schema === undefined
        ? connection.execute(request, turn)
        : StructuredTurn.run(connection, request, schema, supports.structured === true, turn)
    return run
  })
  return { hasSchema: output !== undefined, read }
}
