/**
 * `zain mcp`: the arguments.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as ExitCode from "../ExitCode.ts"
import * as Flags from "../Flags.ts"

const files = Argument.File("file", { mustExist: false }).pipe(
  Argument.withDescription(
    "A file of an agent or an editor that names servers, such as .mcp.json, .vscode/mcp.json or config.toml",
  ),
  Argument.atLeast(1),
)
const json = Flags.isGiven("json", "Print one JSON object")

const codes = "Exit code 0: no problem. 1: a server that is not well. 2: a file that cannot be read, or wrong usage."

const list = Command.make("list", { files, json }, (asked) =>
  ExitCode.from(
    () => import("./Servers.ts"),
    ({ list }) => list(asked),
  ),
).pipe(
  Command.withDescription(`Shows the MCP servers of files. Starts nothing, and prints no secret. ${codes}`),
  Command.withShortDescription("Show the MCP servers of files"),
  Command.withExamples([
    { command: "zain mcp list .mcp.json", description: "The servers of this project" },
    {
      command: "zain mcp list .mcp.json .vscode/mcp.json --json",
      description: "Those of two files, as JSON",
    },
  ]),
)

const timeout = Flag.withDefault(
  Flags.timeout("How long each step may take, where the file says nothing; 10s"),
  Duration.seconds(10),
)

const check = Command.make("check", { files, json, timeout }, (asked) =>
  ExitCode.from(
    () => import("./Servers.ts"),
    ({ check }) => check(asked),
  ),
).pipe(
  Command.withDescription(
    `Starts the MCP servers of files, or reaches them, and asks what they are. It runs the commands in the files: each is shown on standard error before it starts. ${codes}`,
  ),
  Command.withShortDescription("Try the MCP servers of files"),
  Command.withExamples([
    { command: "zain mcp check .mcp.json", description: "Try the servers of this project" },
    { command: "zain mcp check config.toml --timeout 1m", description: "Give slow ones more time" },
  ]),
)

export const McpCommand = Command.make("mcp").pipe(
  Command.withDescription("Shows and checks the MCP servers in the configuration files of agents and editors."),
  Command.withShortDescription("Show and check MCP servers in configuration files"),
  Command.withSubcommands([list, check]),
)
