/**
 * Reconnects a lost editor, and removes its tools if it stays away. Interrupted when the editor is back.
 *
 * @see seed, `HandleConnectionLostUseCase`, 6.3
 */
import * as Effect from "effect/Effect"
import type { HandleConnectionLostRequest } from "../../domain/models/Requests.ts"
import { ConnectionService } from "../ConnectionService.ts"
import { DiscoveryService } from "../DiscoveryService.ts"
import { EventService } from "../EventService.ts"
import { ToolManagementService } from "../ToolManagementService.ts"

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
