/**
 * Starts a client's session: connects to the editor, and waits for unknown tools while the connection is made.
 *
 * @see seed, `InitializeServerUseCase`, 6.1
 */
import * as Effect from "effect/Effect"
import type { InitializeServerRequest } from "../../domain/models/Requests.ts"
import type { InitializeServerResponse } from "../../domain/models/Responses.ts"
import { ClientCompatibilityService } from "../ClientCompatibilityService.ts"
import { ConnectionService } from "../ConnectionService.ts"
import { DiscoveryService } from "../DiscoveryService.ts"
import { ToolManagementService } from "../ToolManagementService.ts"

export const execute = Effect.fnUntraced(function* ({ connectWait, isKnown, syncWait }: InitializeServerRequest) {
  const { startDiscovery } = yield* DiscoveryService
  const { asksAgain, visible } = yield* ClientCompatibilityService
  const { isConnected, waitForConnection } = yield* ConnectionService
  const { getAllTools, initializeDynamicTools } = yield* ToolManagementService
  yield* startDiscovery
  if (!isKnown) yield* waitForConnection(asksAgain ? connectWait : syncWait)
  yield* initializeDynamicTools
  return { isConnected: yield* isConnected, tools: visible(yield* getAllTools) } satisfies InitializeServerResponse
})
