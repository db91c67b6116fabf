/**
 * Reconnects a lost editor, and removes its tools if it stays away. Interrupted when the editor is back.
 *
 * @see seed, `HandleConnectionLostUseCase`, 6.3
 */
import * as Effect from "effect/Effect"
import { ConnectionService } from "../application/ConnectionService.ts"
import { DiscoveryService } from "../application/DiscoveryService.ts"
import { EventService } from "../application/EventService.ts"
import { ToolManagementService } from "../application/ToolManagementService.ts"
import type { HandleConnectionLostRequest } from "./models/Requests.ts"

export const execute = Effect.fnUntraced(function* ({ isCleared }: HandleConnectionLostRequest) {
  const { startDiscovery } = yield* DiscoveryService
  yield* startDiscovery
  if (!isCleared) return
  const { handleConnectionLost } = yield* ConnectionService
  const { clearTools } = yield* ToolManagementService
  const { sendToolsChanged } = yield* EventService
  yield* handleConnectionLost
  yield* clearTools
  yield* sendToolsChanged
})
