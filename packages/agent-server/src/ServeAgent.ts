/**
 * An agent over a transport, until its client or a signal ends it. `--help` starts faster without it.
 */
import { Console } from "node:console"
import * as Environment from "@zain/process/Environment"
import * as HostGuard from "@zain/process/HostGuard"
import { ownVersion } from "@zain/process/OwnVersion"
import * as Serve from "@zain/tool-server/Serve"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Agent } from "./Agent.ts"
import type { AgentCommand } from "./AgentCommand.ts"
import * as AgentServer from "./AgentServer.ts"
import type * as CommandLine from "./CommandLine.ts"

/**
 * What is different about a command.
 *
 * - `install`: how people get the agent's program
 * - `environment`: names of the variables that reach the agent, beside what any program needs
 * - `agent`: loads what makes the agent, whose processes end with the Scope
 */
export interface Command<StartOptions> extends CommandLine.CommandName {
  readonly install: string
  readonly environment: ReadonlyArray<string>
  readonly agent: () => Promise<
    (command: AgentCommand) => Effect.Effect<Agent<StartOptions>, never, Scope.Scope | HostGuard.HostGuard>
  >
}

/**
 * @param program the agent's program, as it was found
 * @param roots the directories in which alone it may work; any if there are none
 * @returns the exit code
 */
export const serve = Effect.fnUntraced(function* <StartOptions>(
  command: Command<StartOptions>,
  asked: CommandLine.Serve,
  program: string,
  roots: ReadonlyArray<string>,
) {
  // A stray line among the messages would end the conversation.
  globalThis.console = new Console(process.stderr, process.stderr)
  const { env } = Environment.make(process.env, [...command.environment, ...asked.passed])
  const ownTemporary = !asked.passed.some((name) => Environment.temporary.includes(name))
  const { agentArgs: args, modelTimeout } = asked
  const agentCommand = { command: program, args, env, ownTemporary, modelTimeout }
  const guarded = yield* Layer.build(HostGuard.layer)
  const makeAgent = yield* Effect.promise(command.agent)
  const agent = yield* Effect.provideContext(makeAgent(agentCommand), guarded)
  const server = AgentServer.make(agent, {
    version: ownVersion,
    approvalTimeout: asked.approvalTimeout,
    roots,
  })
  const tokens = yield* Serve.tokensOf(asked.transport, true)
  return yield* Serve.serve(server, asked.transport, tokens, command.name)
})
