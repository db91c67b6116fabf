/**
 * The agents as clients of the port, each in the way that it starts.
 */
import { join } from "node:path"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import { ConnectionUnavailable, clip } from "@zain/core/McpError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as AgentProgram from "../AgentProgram.ts"

/** `make`: a client, in a Scope. `config`: opens a session with it. */
export interface Agent {
  readonly make: Effect.Effect<McpClientAdapter, never, Scope.Scope>
  readonly config: McpConnectionConfig
}

/**
 * - `provider`: which agent
 * - `command`: its program, if it is not the usual one
 * - `env`: variables for it, beside the usual ones
 * - `cwd`: where nothing is looked for that is started
 * - `options`: what both agents take
 */
export interface Wanted {
  readonly provider: AgentProgram.AgentName
  readonly command: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly options: { readonly cwd?: string; readonly model?: string; readonly threadId?: string }
}

/** How long somebody may think about a question. */
export const patience = Duration.minutes(60)

/** Who asks waits a little longer than who answers. */
const approvalTimeout = Duration.sum(patience, Duration.minutes(1))

/**
 * An agent that starts when its session opens.
 *
 * @returns the agent; or `spawn-failed` when it has no program here
 */
export const load = Effect.fnUntraced(function* ({
  command: named,
  cwd,
  env,
  options,
  provider,
}: Wanted): Effect.fn.Return<Agent, ConnectionUnavailable> {
  const { passedOver, program: command } = AgentProgram.find(provider, named, cwd)
  if (command === undefined) return yield* missing(provider, named, passedOver)
  const local = { command, env, approvalTimeout, options }
  if (provider === "codex") {
    const adapter = yield* Effect.promise(() => import("@zain/codex-client/CodexMcpClientAdapter"))
    const factory = yield* Effect.promise(() => import("@zain/codex-client/CodexTransportFactory"))
    return { make: adapter.make(), config: factory.local(local) }
  }
  const adapter = yield* Effect.promise(() => import("@zain/claude-code-client/ClaudeCodeMcpClientAdapter"))
  const factory = yield* Effect.promise(() => import("@zain/claude-code-client/ClaudeCodeTransportFactory"))
  return { make: adapter.make(), config: factory.local(local) }
})

const missing = (
  provider: AgentProgram.AgentName,
  named: string | undefined,
  [folder]: ReadonlyArray<string>,
): ConnectionUnavailable => {
  const { install, program, title } = AgentProgram.programs[provider]
  const where = named === undefined ? `${program} on PATH` : JSON.stringify(named)
  const todo =
    folder === undefined
      ? `Install ${title} with "${install}", or name its program with --command.`
      : `The one in ${folder} is passed over, for files of the working directory may be anybody's. ` +
        `If it is yours: --command ${join(folder, program)}`
  return new ConnectionUnavailable({
    reason: "spawn-failed",
    message: clip(`There is no program ${where}. ${todo}`),
    delivery: "not-sent",
  })
}
