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

/** What a short command prints, at most 64 KiB of it. Its process has ended when this returns. */
export const output = (target: StdioTarget): Effect.Effect<string, McpError, HostGuard> =>
  OwnedProcess.start(target).pipe(
    Effect.flatMap((process) => OwnedProcess.output(process)),
    Effect.scoped,
    Effect.mapError(Failure.startFailed),
  )

/** A directory for this session alone, readable by its user alone, gone with the Scope. */
export const directory: Effect.Effect<string, McpError, Scope.Scope | HostGuard> = Effect.mapError(
  PrivateDirectory.make(),
  Failure.startFailed,
)
