/**
 * Serves an agent over a transport until its client or a signal ends it. Loaded on demand, so that `--help` starts faster.
 */
import { Console } from "node:console"
import * as Environment from "@zain/process/Environment"
import * as HostGuard from "@zain/process/HostGuard"
import { ownVersion } from "@zain/process/OwnVersion"
import * as Serve from "@zain/tool-server/Serve"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as AgentChannel from "./AgentChannel.ts"
import type { AgentCommand } from "./AgentCommand.ts"
import * as AgentServer from "./AgentServer.ts"
import * as AheadProcess from "./AheadProcess.ts"
import type { Agent } from "./ServedAgent.ts"
import type * as ServerCommandLine from "./ServerCommandLine.ts"

/** What differs between the servers' commands. */
export interface Command<StartOptions> extends ServerCommandLine.CommandName {
  /** The command that installs the agent's program. */
  readonly install: string
  /** Names and patterns of the variables that reach the agent beside the usual ones. */
  readonly environment: ReadonlyArray<string>
  /** The arguments of the one process that serves all clients, if the agent has one. */
  readonly shares?: ReadonlyArray<string>
  /** Loads the agent, whose processes end with the Scope. */
  readonly agent: () => Promise<
    (command: AgentCommand) => Effect.Effect<Agent<StartOptions>, never, Scope.Scope | HostGuard.HostGuard>
  >
}

/**
 * Serves an agent.
 *
 * @param program path of the agent's program
 * @param roots directories to which its work is limited; empty for no limit
 * @returns the exit code
 */
export const serve = Effect.fnUntraced(function* <StartOptions>(
  command: Command<StartOptions>,
  asked: ServerCommandLine.Serve,
  program: string,
  roots: ReadonlyArray<string>,
) {
  // A line on standard output that is no message would break the protocol.
  globalThis.console = new Console(process.stderr, process.stderr)
  const { env } = Environment.make(process.env, [...command.environment, ...asked.passed])
  const ownTemporary = !asked.passed.some((name) => Environment.temporary.includes(name))
  const { acceptTimeout, agentArgs: args, modelTimeout } = asked
  const agentCommand: AgentCommand = { command: program, args, env, ownTemporary, modelTimeout, acceptTimeout }
  const guarded = yield* Layer.build(HostGuard.layer)
  // A client of Zain opens a session at once, so the process of its sessions starts before the rest is loaded.
  const ahead =
    command.shares !== undefined && asked.isShared
      ? yield* Effect.provide(AheadProcess.make(AgentChannel.target(agentCommand, command.shares)), guarded)
      : undefined
  const makeAgent = yield* Effect.promise(command.agent)
  const agent = yield* Effect.provideContext(makeAgent({ ...agentCommand, ...(ahead && { start: ahead }) }), guarded)
  const server = AgentServer.make(agent, {
    version: ownVersion,
    approvalTimeout: asked.approvalTimeout,
    modelTimeout,
    roots,
  })
  if (asked.isShared && asked.transport.kind === "stdio") {
    const SocketServe = yield* Effect.promise(() => import("@zain/tool-server/SocketServe"))
    yield* SocketServe.serve(server, process.stdin, process.stdout, asked.transport)
    return 0
  }
  const tokens = yield* Serve.tokensOf(asked.transport, true)
  return yield* Serve.serve(server, asked.transport, tokens, command.name)
})
