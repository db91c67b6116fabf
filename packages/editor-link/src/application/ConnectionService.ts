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
 * - `Idle`: no call has needed it yet
 * - `Connecting`: it was never open
 * - `Ready`: the editor answers
 * - `Away`: it was open and is not
 * - `Closed`: it has ended for good
 */
export type ConnectionState = "Idle" | "Connecting" | "Ready" | "Away" | "Closed"

export class ConnectionService extends Context.Service<
  ConnectionService,
  {
    /** The current state of the connection. */
    readonly state: Effect.Effect<ConnectionState>
    /** Whether the editor answers now. */
    readonly isConnected: Effect.Effect<boolean>
    /** Succeeds when the editor answers. Waits up to `--grace` for a lost editor; otherwise makes one attempt. */
    readonly ensureConnected: Effect.Effect<void, DomainError>
    /** Waits for the editor while the first connection is made, and returns whether it answers in time. */
    readonly waitForConnection: (timeout: Duration.Duration) => Effect.Effect<boolean>
    /** Succeeds when calls no longer wait for a lost editor. */
    readonly handleConnectionLost: Effect.Effect<void>
    /** The directory of the editor's project. */
    readonly project: Effect.Effect<string, DomainError>
  }
>()("@zain/editor-server/ConnectionService") {}
