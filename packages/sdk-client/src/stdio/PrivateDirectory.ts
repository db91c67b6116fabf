/**
 * A directory that only its user can read.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ConnectionUnavailable } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Failure from "../Failure.ts"
import type { HostGuard } from "./HostGuard.ts"

/**
 * Makes one, with mode 0700. It is removed with the Scope.
 *
 * @param guard removes it when this host dies
 * @returns its path, or `ConnectionUnavailable` with reason `spawn-failed`
 */
export const make = (guard: HostGuard): Effect.Effect<string, ConnectionUnavailable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({ try: () => mkdtemp(join(tmpdir(), "zain-")), catch: Failure.directoryFailed }).pipe(
      Effect.tap((path) => Effect.sync(() => guard.protectDirectory(path))),
    ),
    (path) =>
      Effect.promise(() => rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})).pipe(
        Effect.tap(() => Effect.sync(() => guard.releaseDirectory(path))),
      ),
  )
