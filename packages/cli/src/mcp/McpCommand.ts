/**
 * `zain mcp`: the arguments.
 */
import type { Agent } from "@zain/agent-list/Agent"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as ExitCode from "../ExitCode.ts"
import * as Flags from "../Flags.ts"

const one = Argument.File("file", { mustExist: false }).pipe(
  Argument.withDescription("A configuration file with servers, such as .mcp.json, .vscode/mcp.json or config.toml"),
)
const files = Argument.atLeast(one, 1)
const json = Flags.isGiven("json", "Prints one JSON object")

const codes = "Exit code 0: no problem. 1: a server with a problem. 2: an unreadable file, or wrong usage."

const list = (agents: ReadonlyArray<Agent>) =>
  Command.make("list", { files: Argument.atLeast(one, 0), json }, (asked) =>
    ExitCode.from(
      () => import("./Servers.ts"),
      ({ list }) => list(asked, agents),
    ),
  ).pipe(
    Command.withDescription(
      `Lists the MCP servers of files; without files, those of .mcp.json, .cursor/mcp.json and .vscode/mcp.json in this directory, and of the agents' own configuration. Starts nothing, and prints no secret. ${codes}`,
    ),
    Command.withShortDescription("List the MCP servers of files, or those in effect here"),
    Command.withExamples([
      { command: "zain mcp list", description: "The servers of this project and of its user's agents" },
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

const word = (name: string, description: string) => Argument.String(name).pipe(Argument.withDescription(description))

const called = {
  file: one,
  server: word("server", "The server's name in the file"),
  tool: word("tool", "The tool's name, as zain mcp check prints it"),
  args: Argument.withDefault(word("args", "The tool's arguments, a JSON object; default: {}"), "{}"),
  json: Flags.isGiven("json", "Prints the whole result as JSON"),
  timeout: Flag.withDefault(
    Flags.timeout("Limit of each step of the handshake, and of the call; default: 1m"),
    Duration.minutes(1),
  ),
}

const call = Command.make("call", called, (asked) =>
  ExitCode.from(
    () => import("./Servers.ts"),
    ({ call }) => call(asked),
  ),
).pipe(
  Command.withDescription(
    "Starts or connects to one MCP server of a file, calls a tool, and prints the text of its result. It runs the server's command in the file, and prints it to standard error before it starts. The result is not redacted. Exit code 0: a result. 1: an error of the tool or server. 2: wrong usage.",
  ),
  Command.withShortDescription("Call a tool of an MCP server"),
  Command.withExamples([
    {
      command: `zain mcp call .mcp.json files read_file '{"path":"README.md"}'`,
      description: "Call a tool of a server of this project",
    },
  ]),
)

/** @param agents the agents whose own configuration is listed */
export const make = (agents: ReadonlyArray<Agent>) =>
  Command.make("mcp").pipe(
    Command.withDescription("Lists, checks and calls the MCP servers in configuration files of agents and editors."),
    Command.withShortDescription("List, check and call MCP servers in configuration files"),
    Command.withSubcommands([list(agents), check, call]),
  )
