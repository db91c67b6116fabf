/**
 * Handles a notice of the editor.
 *
 * @see seed, `ProcessNotificationUseCase`
 */
import * as Effect from "effect/Effect"
import type { ProcessNotificationRequest } from "../../domain/models/Requests.ts"
import * as RefreshTools from "./RefreshTools.ts"

/** The connection handles reloads and quits; only changed tools are handled here. */
export const execute = ({ notice }: ProcessNotificationRequest) =>
  notice.kind === "tools-changed" ? Effect.asVoid(RefreshTools.execute) : Effect.void
