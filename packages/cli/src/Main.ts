/**
 * The commands of `zain`. Exit codes: 0 for success, 1 for a failure, 2 for wrong usage, and 128 plus the number of a
 * signal (130 after Ctrl-C).
 */
import * as NodePath from "@effect/platform-node/NodePath"
import type { Agent } from "@zain/agent-list/Agent"
import { ownVersion } from "@zain/process/OwnVersion"
import * as CliConfig from "effect/cli/CliConfig"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as CompletionsCommand from "./completions/CompletionsCommand.ts"
import * as DashArguments from "./DashArguments.ts"
import * as DoctorCommand from "./doctor/DoctorCommand.ts"
import { ExitCode } from "./ExitCode.ts"
import * as McpCommand from "./mcp/McpCommand.ts"
import * as Output from "./Output.ts"
import * as RunCommand from "./run/RunCommand.ts"
import * as ServeCommand from "./serve/ServeCommand.ts"
import * as ThreadsCommand from "./threads/ThreadsCommand.ts"
import * as ZainHelp from "./ZainHelp.ts"

/** @param behind the arguments after `--`; `zain serve` passes them to the agent */
const tree = (agents: ReadonlyArray<Agent>, behind: ReadonlyArray<string>) => {
  const [{ name } = { name: "" }] = agents
  /** The commands, for completions. */
  const described = (): Completions.CommandDescriptor => Completions.fromCommand(zain)
  const commands = [
    RunCommand.make(agents),
    ThreadsCommand.make(agents),
    ServeCommand.make(agents, behind),
    DoctorCommand.make(agents),
    McpCommand.make(agents),
    CompletionsCommand.make(described),
  ]
  const zain = Command.make("zain").pipe(
    Command.withDescription("Runs coding agents, serves them over MCP, diagnoses them, and checks MCP servers."),
    Command.withExamples([
      { command: `zain run --provider ${name} "Say what this project does"`, description: "Run an agent" },
      { command: `zain serve ${name} http --port 8931`, description: "Serve an agent to MCP clients" },
      { command: "zain doctor", description: "Check which agents work here" },
      { command: "zain mcp check .mcp.json", description: "Check the MCP servers of a file" },
    ]),
    Command.withSubcommands(commands),
  )
  return zain
}

const files = Effect.flatMap(
  Effect.promise(() => import("@effect/platform-node/NodeFileSystem")),
  ({ layer }) => Effect.provide(FileSystem.FileSystem, layer),
)

/** All that paths among arguments need. The rest of Node's services is for prompts, and takes a sixth of a start. */
const environment = Layer.merge(
  NodePath.layer,
  FileSystem.layerNoop({
    exists: (path) => Effect.flatMap(files, ({ exists }) => exists(path)),
    stat: (path) => Effect.flatMap(files, ({ stat }) => stat(path)),
  }),
) as Layer.Layer<Command.Environment>

const services = Layer.mergeAll(
  environment,
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
  ZainHelp.layer,
)

/** An error as `zain: message` on a terminal. */
const inColumns = (error: Error): Effect.Effect<never, Error> =>
  Effect.flatMap(ZainHelp.broken(`zain: ${error.message}`, Output.of(process.stderr)), (text) =>
    Effect.fail(new Error(text.slice("zain: ".length), { cause: error })),
  )

/**
 * Runs the command that the arguments name.
 *
 * @param agents the agents that the commands offer
 * @returns the exit code, or fails with an error whose message is printed
 */
export const main = (
  args: ReadonlyArray<string>,
  agents: ReadonlyArray<Agent>,
): Effect.Effect<number, Error, Scope.Scope> =>
  Effect.suspend(() => {
    const wrong = DashArguments.wrong(args)
    if (wrong !== undefined) return Effect.as(ZainHelp.refuse(args[0] === "run" ? "zain run" : "zain", wrong), 2)
    const end = args[0] === "serve" ? args.indexOf("--") : -1
    const [own, behind] = end < 0 ? [args, []] : [args.slice(0, end), args.slice(end + 1)]
    let code = 0
    const set = (asked: number) => {
      code = asked
    }
    const ran = Effect.catchTag(
      Command.runWith(tree(agents, behind), { version: ownVersion })(own),
      "ShowHelp",
      ({ errors }) => Effect.sync(() => set(errors.length === 0 ? 0 : 2)),
    )
    const work = ran.pipe(
      Effect.provideService(ExitCode, { set }),
      Effect.provide(services),
      Effect.andThen(Output.flushed(process.stdout)),
      Effect.map(() => code),
    )
    return Effect.catch(Effect.raceFirst(Output.readerLost(process.stdout), work), inColumns)
  })
