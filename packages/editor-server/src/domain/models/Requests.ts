/**
 * What the use cases are asked.
 *
 * @see seed, `requests.ts`
 */
import type * as Duration from "effect/Duration"
import type { Notice } from "../EditorProfile.ts"

/**
 * A client begins.
 *
 * - `syncWait`: how long its `initialize` may wait for the editor, where the client does not ask for tools again
 * - `isKnown`: whether the tools are known without the editor
 */
export interface InitializeServerRequest {
  readonly syncWait: Duration.Duration
  readonly isKnown: boolean
}

/**
 * A client calls a tool.
 *
 * - `timeout`: how long the editor may take; as the profile says where it is absent
 * - `longTimeout`: how long tools may take that wait for the editor's work
 * - `progress`: reports that the work goes on
 */
export interface ExecuteToolRequest {
  readonly name: string
  readonly arguments: unknown
  readonly timeout: Duration.Duration | undefined
  readonly longTimeout: Duration.Duration
  readonly progress: (message: string) => void
}

/** `isCleared`: whether the tools are taken away if the editor stays away, until it is back. */
export interface HandleConnectionLostRequest {
  readonly isCleared: boolean
}

export interface ProcessNotificationRequest {
  readonly notice: Notice
}
