/**
 * What a profile may do on this machine while it prepares a session.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { McpError } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Failure from "./Failure.ts"
import type { StdioTarget } from "./McpWire.ts"
import * as AgentProcess from "./stdio/AgentProcess.ts"
import type { HostGuard } from "./stdio/HostGuard.ts"

/**
 * - `output`: what a short command prints, at most 64 KiB of it. Its process has ended when this returns
 * - `directory`: a directory for this session alone, readable by its user alone, gone with the Scope
 */
export interface SessionHost {
  readonly output: (target: StdioTarget) => Effect.Effect<string, McpError>
  readonly directory: Effect.Effect<string, McpError, Scope.Scope>
}

const outputLimit = 64 * 1024

/** A host whose processes and directories this guard ends when the host dies. */
export const make = (guard: HostGuard): SessionHost => ({
  output: (target) =>
    Effect.scoped(
      Effect.flatMap(AgentProcess.start(target, guard), ({ stdin, stdout }) =>
        Effect.callback<string>((resume) => {
          let text = ""
          stdin.end()
          stdout.setEncoding("utf8")
          stdout.on("data", (piece: string) => {
            if (text.length < outputLimit) text += piece
          })
          stdout.once("close", () => resume(Effect.succeed(text)))
        }),
      ),
    ),
  directory: Effect.acquireRelease(
    Effect.tryPromise({ try: () => mkdtemp(join(tmpdir(), "zain-")), catch: Failure.directoryFailed }).pipe(
      Effect.tap((path) => Effect.sync(() => guard.protectDirectory(path))),
    ),
    (path) =>
      Effect.promise(() => rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})).pipe(
        Effect.tap(() => Effect.sync(() => guard.releaseDirectory(path))),
      ),
  ),
})
