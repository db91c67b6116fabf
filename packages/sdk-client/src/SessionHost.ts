/**
 * What a profile may do on this machine while it prepares a session.
 */
import type { McpError } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { StdioTarget } from "./McpWire.ts"
import * as AgentProcess from "./stdio/AgentProcess.ts"
import type { HostGuard } from "./stdio/HostGuard.ts"
import * as PrivateDirectory from "./stdio/PrivateDirectory.ts"

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
  directory: PrivateDirectory.make(guard),
})
