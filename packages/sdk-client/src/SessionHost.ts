/**
 * What a profile may do on this machine while it prepares a session.
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
 * - `output`: what a short command prints, at most 64 KiB of it. Its process has ended when this returns
 * - `directory`: a directory for this session alone, readable by its user alone, gone with the Scope
 */
export interface SessionHost {
  readonly output: (target: StdioTarget) => Effect.Effect<string, McpError>
  readonly directory: Effect.Effect<string, McpError, Scope.Scope>
}

/** A host whose processes and directories this guard ends when the host dies. */
export const make = (guard: HostGuard): SessionHost => ({
  output: (target) =>
    Effect.scoped(Effect.flatMap(OwnedProcess.start(target, guard), (process) => OwnedProcess.output(process))).pipe(
      Effect.mapError(Failure.startFailed),
    ),
  directory: Effect.mapError(PrivateDirectory.make(guard), Failure.startFailed),
})
