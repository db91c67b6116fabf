/**
 * What the use cases are asked.
 *
 * @see seed, `requests.ts`
 */
import type * as Duration from "effect/Duration"
import type { Notice } from "../EditorProfile.ts"
import type { Sample } from "../Sample.ts"

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

/** Receives what becomes of a call, without its arguments and its result. */
export type CallLog = (event: string, detail?: string) => void

/**
 * A client calls a tool.
 *
 * - `timeout`: how long the editor may take; as the profile says where it is absent
 * - `longTimeout`: how long tools may take that wait for the editor's work
 * - `sample`: asks the client's model within a limit; nothing where the client does not offer it
 * - `progress`: reports that the work goes on
 * - `log`: receives what becomes of what the editor is sent
 */
export interface ExecuteToolRequest {
  readonly name: string
  readonly arguments: unknown
  readonly timeout: Duration.Duration | undefined
  readonly longTimeout: Duration.Duration
  readonly sample: (limit: Duration.Duration) => Sample | undefined
  readonly progress: (message: string) => void
  readonly log: CallLog
}

/** `isCleared`: whether the tools are taken away if the editor stays away, until it is back. */
export interface HandleConnectionLostRequest {
  readonly isCleared: boolean
}

export interface ProcessNotificationRequest {
  readonly notice: Notice
}
