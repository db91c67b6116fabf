/**
 * What the use cases are asked.
 *
 * @see seed, `requests.ts`
 */
import type * as Duration from "effect/Duration"
import type { Notice } from "../EditorProfile.ts"
import type { Sample } from "../Sample.ts"

/** A client begins. */
export interface InitializeServerRequest {
  /** How long its `initialize` may wait for the editor, where the client does not ask for tools again. */
  readonly syncWait: Duration.Duration
  /** Whether the tools are known without the editor. */
  readonly isKnown: boolean
}

/** Receives what becomes of a call, without its arguments and its result. */
export type CallLog = (event: string, detail?: string) => void

/** A client calls a tool. */
export interface ExecuteToolRequest {
  readonly name: string
  readonly arguments: unknown
  /** How long the editor may take; as the profile says where it is absent. */
  readonly timeout: Duration.Duration | undefined
  /** How long tools may take that wait for the editor's work. */
  readonly longTimeout: Duration.Duration
  /** Asks the client's model within a limit; nothing where the client does not offer it. */
  readonly sample: (limit: Duration.Duration) => Sample | undefined
  /** Reports that the work goes on. */
  readonly progress: (message: string) => void
  /** Receives what becomes of what the editor is sent. */
  readonly log: CallLog
}

/** `isCleared`: whether the tools are taken away if the editor stays away, until it is back. */
export interface HandleConnectionLostRequest {
  readonly isCleared: boolean
}

export interface ProcessNotificationRequest {
  readonly notice: Notice
}
