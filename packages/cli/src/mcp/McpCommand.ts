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
  Argument.withDescription("A configuration file with servers, such as .mcp.json, .vscode/mcp.json or config.toml"),
  Argument.atLeast(1),
)
const json = Flags.isGiven("json", "Prints one JSON object")

const codes = "Exit code 0: no problem. 1: a server with a problem. 2: an unreadable file, or wrong usage."

const list = Command.make("list", { files, json }, (asked) =>
  ExitCode.from(
    () => import("./Servers.ts"),
    ({ list }) => list(asked),
  ),
).pipe(
  Command.withDescription(`Lists the MCP servers of files. Starts nothing, and prints no secret. ${codes}`),
  Command.withShortDescription("List the MCP servers of files"),
  Command.withExamples([
    { command: "zain mcp list .mcp.json", description: "The servers of this project" },
    {
      command: "zain mcp list .mcp.json .vscode/mcp.json --json",
      description: "The servers of two files, as JSON",
    },
  ]),
)

const timeout = Flag.withDefault(
  Flags.timeout("Limit of each step, unless the file has one; default: 10s"),
  Duration.seconds(10),
)

const check = Command.make("check", { files, json, timeout }, (asked) =>
  ExitCode.from(
    () => import("./Servers.ts"),
    ({ check }) => check(asked),
  ),
).pipe(
  Command.withDescription(
    `Starts or connects to the MCP servers of files, and checks them. It runs the commands in the files, and prints each to standard error before it starts. ${codes}`,
  ),
  Command.withShortDescription("Check the MCP servers of files"),
  Command.withExamples([
    { command: "zain mcp check .mcp.json", description: "Check the servers of this project" },
    { command: "zain mcp check config.toml --timeout 1m", description: "Give slow ones more time" },
  ]),
)

export const McpCommand = Command.make("mcp").pipe(
  Command.withDescription("Lists and checks the MCP servers in configuration files of agents and editors."),
  Command.withShortDescription("List and check MCP servers in configuration files"),
  Command.withSubcommands([list, check]),
)
