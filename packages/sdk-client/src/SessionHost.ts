/**
 * The operations on this machine that a profile's `open` may use.
 */
import type { McpError } from "@zain/core/McpError"
import type { HostGuard } from "@zain/process/HostGuard"
import * as OwnedProcess from "@zain/process/OwnedProcess"
import * as PrivateDirectory from "@zain/process/PrivateDirectory"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Failure from "./Failure.ts"
import type { StdioTarget } from "./McpWire.ts"

/**
 * Runs a command and returns what it prints to standard output, up to about 65,536 characters. Its process has ended
 * when this returns. Fails with `ConnectionUnavailable`, reason `spawn-failed`, if it cannot be started.
 *
 * @param target the command and its environment; its `maxMessageBytes` and `shape` do not apply
 */
export const output = (target: StdioTarget): Effect.Effect<string, McpError, HostGuard> =>
  OwnedProcess.start(target).pipe(
    Effect.flatMap((process) => OwnedProcess.output(process)),
    Effect.scoped,
    Effect.mapError(Failure.startFailed),
  )

/**
 * Makes a private temporary directory for one session, readable by its user only, which is deleted with the Scope. Fails with
 * `ConnectionUnavailable`, reason `spawn-failed`, if it cannot be created.
 */
export const directory: Effect.Effect<string, McpError, Scope.Scope | HostGuard> = Effect.mapError(
  PrivateDirectory.make(),
  Failure.startFailed,
)
