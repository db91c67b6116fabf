/**
 * Requests changed tools again, and notifies clients.
 *
 * @see seed, `RefreshToolsUseCase`
 */
import * as Effect from "effect/Effect"
import { ConnectionService } from "../application/ConnectionService.ts"
import { EventService } from "../application/EventService.ts"
import { ToolManagementService } from "../application/ToolManagementService.ts"
import type { RefreshToolsResponse } from "./models/Responses.ts"

export const execute = Effect.gen(function* () {
  const { ensureConnected } = yield* ConnectionService
  const { getAllTools, refreshTools } = yield* ToolManagementService
  const { sendToolsChanged } = yield* EventService
  yield* ensureConnected
  yield* refreshTools
  yield* sendToolsChanged
  const response: RefreshToolsResponse = { tools: yield* getAllTools }
  return response
})
