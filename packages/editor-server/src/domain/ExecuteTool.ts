/**
 * A client calls a tool: the connection, the tool's existence and its arguments are checked, and the work is done.
 *
 * @see seed, `ExecuteToolUseCase`, 6.2
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ConnectionService } from "../application/ConnectionService.ts"
import { MessageService } from "../application/MessageService.ts"
import { ToolManagementService } from "../application/ToolManagementService.ts"
import * as Catalogue from "./Catalogue.ts"
import { ToolExecutionError, ValidationError } from "./DomainError.ts"
import type { EditorProfile } from "./EditorProfile.ts"
import type { ExecuteToolRequest } from "./models/Requests.ts"
import type { ExecuteToolResponse } from "./models/Responses.ts"

/** How much of a name that a client gives is repeated, in characters. */
const longestEcho = 80

const unknownTool = (profile: EditorProfile, name: string, tools: ReadonlyArray<Catalogue.EditorTool>) => {
  const near = Catalogue.near(
    name,
    tools.map((tool) => tool.name),
  )
  const hint = near.length === 0 ? "tools/list has them all." : `Similar names: ${near.join(", ")}.`
  return new ValidationError({
    message: `${profile.title} has no tool ${JSON.stringify(name.slice(0, longestEcho))}. ${hint}`,
    delivery: "not-sent",
    reason: "unknown-tool",
  })
}

export const execute = Effect.fnUntraced(function* (profile: EditorProfile, request: ExecuteToolRequest) {
  const { catalogue } = profile
  const connection = yield* ConnectionService
  const message = yield* MessageService
  const tools = yield* ToolManagementService
  if (catalogue._tag === "Dynamic") yield* connection.ensureConnected
  const tool = yield* tools.getTool(request.name)
  if (tool === undefined) return yield* unknownTool(profile, request.name, yield* tools.getAllTools)
  const read = tool.read(request.arguments)
  if (Result.isFailure(read)) {
    return yield* new ValidationError({
      message: `${tool.name}: ${read.failure}`,
      delivery: "not-sent",
      reason: "arguments",
    })
  }
  const args = read.success
  const isRepeatable = tool.scopeOf(args) === "read"
  const context: Catalogue.ToolContext = {
    send: (method, params, options = {}) =>
      message.request(method, params, {
        deadline:
          options.timeoutMs === undefined
            ? profile.timeout(params, request.timeout)
            : Duration.millis(options.timeoutMs),
        isRepeatable: options.isRepeatable ?? isRepeatable,
      }),
    progress: request.progress,
    project: connection.project,
    longTimeout: Duration.toMillis(request.longTimeout),
  }
  if (tool.run !== undefined) return { result: yield* tool.run(args, context) } satisfies ExecuteToolResponse
  const answered = yield* Effect.result(context.send(tool.name, args))
  if (Result.isFailure(answered)) {
    const error = answered.failure
    // Until another editor connects: this one does not have it.
    if (catalogue._tag === "Static" && error.code === catalogue.unknownCommand) yield* tools.removeTool(tool.name)
    return yield* error
  }
  const result = profile.result(answered.success)
  if (Result.isSuccess(result)) return { result: result.success } satisfies ExecuteToolResponse
  return yield* new ToolExecutionError({ ...result.failure, delivery: "answered" })
})
