/**
 * A command of this package, from its arguments to its exit code.
 */
import { Console } from "node:console"
import { existsSync } from "node:fs"
import * as Environment from "@zain/process/Environment"
import * as HostGuard from "@zain/process/HostGuard"
import * as ProgramPath from "@zain/process/ProgramPath"
import * as Program from "@zain/tool-server/Program"
import * as RootDirectory from "@zain/tool-server/RootDirectory"
import * as Serve from "@zain/tool-server/Serve"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Agent } from "./Agent.ts"
import type { AgentCommand } from "./AgentCommand.ts"
import * as AgentServer from "./AgentServer.ts"
import * as CommandLine from "./CommandLine.ts"
import { ownVersion } from "./OwnVersion.ts"

/**
 * What is different about a command.
 *
 * - `install`: how people get the agent's program
 * - `environment`: names of the variables that reach the agent, beside what any program needs
 * - `agent`: makes the agent; its processes end with the Scope
 */
export interface Command<StartOptions> extends CommandLine.CommandName {
  readonly install: string
  readonly environment: ReadonlyArray<string>
  readonly agent: (
    command: AgentCommand,
    guard: HostGuard.HostGuard,
  ) => Effect.Effect<Agent<StartOptions>, never, Scope.Scope>
}

/** Runs a command on this process's arguments. The process exits when it is over. */
export const run = <StartOptions>(command: Command<StartOptions>) => {
  Program.ignoreLostReaders()
  const parsed = CommandLine.parse(process.argv.slice(2), command)
  if (Result.isFailure(parsed)) return Program.refuse(command.name, `${parsed.failure} See ${command.name} --help.`, 2)
  const asked = parsed.success
  if (asked._tag === "Help") return Program.exit(0, CommandLine.help(command))
  if (asked._tag === "Version") return Program.exit(0, `${ownVersion()}\n`)

  const roots: Array<string> = []
  for (const given of asked.roots) {
    const root = RootDirectory.find(given)
    if (root === undefined) return Program.refuse(command.name, `--root ${given} is not an existing directory.`, 2)
    roots.push(root)
  }
  const program = ProgramPath.find(asked.command, process.env)
  if (program === undefined) {
    const [message, code] = missing(command, asked.command)
    return Program.refuse(command.name, message, code)
  }
  // A stray line among the messages would end the conversation.
  globalThis.console = new Console(process.stderr, process.stderr)
  const { env } = Environment.make(process.env, [...command.environment, ...asked.passed])
  const ownTemporary = !asked.passed.some((name) => Environment.temporary.includes(name))
  const { agentArgs: args, modelTimeout } = asked
  const agentCommand = { command: program, args, env, ownTemporary, modelTimeout }
  const work = Effect.gen(function* () {
    const guard = yield* HostGuard.make
    const agent = yield* command.agent(agentCommand, guard)
    const server = AgentServer.make(agent, {
      version: ownVersion(),
      approvalTimeout: asked.approvalTimeout,
      roots,
    })
    return yield* Serve.serve(server, asked.transport, yield* Serve.tokensOf(asked.transport, true))
  })
  Program.run(command.name, work)
}

/**
 * Why there is no agent to start, and the exit code that shells have for that: a client tells by it that nothing was
 * started.
 *
 * @see POSIX.1-2024, Shell Command Language, 2.8.2 Exit Status for Commands
 */
const missing = (
  { install, program }: Pick<Command<never>, "install" | "program">,
  named: string,
): readonly [message: string, exitCode: number] => {
  const byOption = "with --command, which is `command` for local()"
  if (/[\\/]/.test(named) && existsSync(named)) {
    return [`The program ${named} may not be executed. Check its permissions, or name another ${byOption}.`, 126]
  }
  const where = named === program ? "on PATH" : `at ${named}`
  return [`There is no program ${program} ${where}. Install it with "${install}", or name it ${byOption}.`, 127]
}
