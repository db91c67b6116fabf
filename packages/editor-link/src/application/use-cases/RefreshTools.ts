/**
 * Requests changed tools again, and notifies clients.
 *
 * @see seed, `RefreshToolsUseCase`
 */
import * as Effect from "effect/Effect"
import type { RefreshToolsResponse } from "../../domain/models/Responses.ts"
import { ConnectionService } from "../ConnectionService.ts"
import { EventService } from "../EventService.ts"
import { ToolManagementService } from "../ToolManagementService.ts"

export const execute = Effect.gen(function* () {
  const { ensureConnected } = yield* ConnectionService
  const { getAllTools, refreshTools } = yield* ToolManagementService
  const { sendToolsChanged } = yield* EventService
  yield* ensureConnected
  yield* refreshTools
  yield* sendToolsChanged
  return { tools: yield* getAllTools } satisfies RefreshToolsResponse
})
