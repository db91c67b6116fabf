/**
 * Whether the editor can be reached.
 *
 * @see seed, `IConnectionService`
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { DomainError } from "../domain/DomainError.ts"

/**
 * - `Idle`: nothing has asked for it
 * - `Connecting`: it was never open
 * - `Ready`: the editor answers
 * - `Away`: it was open and is not
 * - `Closed`: it has ended for good
 */
export type ConnectionState = "Idle" | "Connecting" | "Ready" | "Away" | "Closed"

export class ConnectionService extends Context.Service<
  ConnectionService,
  {
    /** Where the connection stands now. */
    readonly state: Effect.Effect<ConnectionState>
    /** Whether the editor answers now. */
    readonly isConnected: Effect.Effect<boolean>
    /** Succeeds when the editor answers. One that was there is waited for until its grace has passed; else one attempt is made. */
    readonly ensureConnected: Effect.Effect<void, DomainError>
    /** Waits for the editor, and says whether it answers in time. */
    readonly waitForConnection: (timeout: Duration.Duration) => Effect.Effect<boolean>
    /** The editor was lost: succeeds when calls do not wait for it any more. */
    readonly handleConnectionLost: Effect.Effect<void>
    /** The directory of the editor's project. */
    readonly project: Effect.Effect<string, DomainError>
  }
>()("@zain/editor-server/ConnectionService") {}
