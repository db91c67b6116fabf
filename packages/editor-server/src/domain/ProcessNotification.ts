/**
 * The editor reports something.
 *
 * @see seed, `ProcessNotificationUseCase`
 */
import * as Effect from "effect/Effect"
import type { ProcessNotificationRequest } from "./models/Requests.ts"
import * as RefreshTools from "./RefreshTools.ts"

/** The connection itself reacts to the editor's end: only a change of tools asks for work here. */
export const execute = ({ notice }: ProcessNotificationRequest) =>
  notice.kind === "tools-changed" ? Effect.asVoid(RefreshTools.execute) : Effect.void
