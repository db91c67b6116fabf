/**
 * Requests of the use cases.
 *
 * @see seed, `requests.ts`
 */
import type * as Duration from "effect/Duration"
import type { Notice } from "../EditorProfile.ts"
import type { Sample } from "../Sample.ts"

/** A client begins. */
export interface InitializeServerRequest {
  /** How long `initialize` may wait while the editor is connected to. */
  readonly connectWait: Duration.Duration
  /** The same if the client requests tools only once. */
  readonly syncWait: Duration.Duration
  /** Whether the tools are cached. */
  readonly isKnown: boolean
}

/** Receives the steps of a call, without arguments and result. */
export type CallLog = (event: string, detail?: string) => void

/** A client calls a tool. */
export interface ExecuteToolRequest {
  readonly name: string
  readonly arguments: unknown
  /** The limit of tools that wait for the editor's work. */
  readonly longTimeout: Duration.Duration
  /** Requests an answer of the client's model within a limit; undefined without `sampling`. */
  readonly sample: (limit: Duration.Duration) => Sample | undefined
  /** Reports that the work goes on. */
  readonly progress: (message: string) => void
  /** Receives the steps of each sent message. */
  readonly log: CallLog
}

/** `isCleared`: whether the tools are removed while the editor is away. */
export interface HandleConnectionLostRequest {
  readonly isCleared: boolean
}

export interface ProcessNotificationRequest {
  readonly notice: Notice
}
