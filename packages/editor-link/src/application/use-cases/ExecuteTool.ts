/**
 * A client calls a tool: the connection, the tool's existence and its arguments are checked, and the work is done.
 *
 * @see seed, `ExecuteToolUseCase`, 6.2
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Catalogue from "../../domain/Catalogue.ts"
import { type DomainError, ofEditor, ValidationError } from "../../domain/DomainError.ts"
import type { EditorProfile } from "../../domain/EditorProfile.ts"
import type { ExecuteToolRequest } from "../../domain/models/Requests.ts"
import type { ExecuteToolResponse } from "../../domain/models/Responses.ts"
import type { OperationResult } from "../../domain/OperationResult.ts"
import { quoted } from "../../domain/Quoted.ts"
import type { TimeoutOf } from "../../domain/Timeout.ts"
import * as ToolNames from "../../domain/ToolNames.ts"
import { ConnectionService } from "../ConnectionService.ts"
import { EventService } from "../EventService.ts"
import { MessageService } from "../MessageService.ts"
import { ToolManagementService } from "../ToolManagementService.ts"
import { ToolQueryService } from "../ToolQueryService.ts"

/** The editor of a call. */
type Profile = Pick<EditorProfile, "title" | "catalogue" | "result"> & { readonly timeoutOf: TimeoutOf }

const unknownTool = (profile: Profile, name: string, tools: ReadonlyArray<Catalogue.EditorTool>) => {
  const names = tools.map((tool) => ToolNames.plain(tool.name))
  const hint = Catalogue.hint(name, names, "tools/list has them all.")
  return new ValidationError({
    message: `${profile.title} has no tool ${quoted(name)}. ${hint}`,
    delivery: "not-sent",
    reason: "unknown-tool",
  })
}

export const execute = Effect.fnUntraced(function* (profile: Profile, request: ExecuteToolRequest) {
  const { catalogue } = profile
  const connection = yield* ConnectionService
  const message = yield* MessageService
  const { getAllTools, getTool } = yield* ToolQueryService
  const { removeTool } = yield* ToolManagementService
  const { sendToolsChanged } = yield* EventService
  if (catalogue._tag === "Dynamic") yield* connection.ensureConnected
  const tool = yield* getTool(request.name)
  if (tool === undefined) return yield* unknownTool(profile, request.name, yield* getAllTools)
  const reading = tool.read(request.arguments)
  const read = reading instanceof Promise ? yield* Effect.promise(() => reading) : reading
  if (Result.isFailure(read)) return yield* ToolNames.wrongArguments(tool.name, read.failure)
  const args = read.success
  const isRepeatable = tool.scopeOf(args) === "read"
  const context: Catalogue.ToolContext = {
    send: (method, params, options) => message.request(method, params, { isRepeatable, log: request.log, ...options }),
    sample: request.sample(profile.timeoutOf(args)),
    progress: request.progress,
    project: connection.project,
    longTimeout: Duration.toMillis(request.longTimeout),
  }
  const done: Effect.Effect<OperationResult, DomainError> =
    tool.run === undefined
      ? Effect.flatMap(context.send(tool.name, args), (answer) =>
          Effect.fromResult(Result.mapError(profile.result(answer), ofEditor)),
        )
      : tool.run(args, context)
  return {
    result: yield* Effect.tapError(done, ({ code }) =>
      // Until another editor connects: this one does not have it.
      catalogue._tag === "Static" && code !== undefined && code === catalogue.unknownCommand
        ? Effect.andThen(removeTool(tool.name), sendToolsChanged)
        : Effect.void,
    ),
  } satisfies ExecuteToolResponse
})
