/**
 * `zain doctor`: the arguments.
 */
import type { Agent } from "@zain/agents/Agent"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as ExitCode from "../ExitCode.ts"

const config = (agents: ReadonlyArray<Agent>) => ({
  provider: Flag.Literals(
    "provider",
    agents.map(({ name }) => name),
  ).pipe(Flag.withDescription("Check this agent only; that it is not there is a problem then"), Flag.optional),
  server: Flag.String("server").pipe(
    Flag.withMetavar("COMMAND-OR-URL"),
    Flag.withDescription("Check this MCP server: a command line, a URL, or sse+URL; repeatable"),
    Flag.atLeast(0),
  ),
  bearerTokenEnv: Flag.String("bearer-token-env").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("The variable with the token for servers over HTTP"),
    Flag.optional,
  ),
  timeout: Flag.String("timeout").pipe(
    Flag.withMetavar("TIME"),
    Flag.withDescription("How long each step of a handshake may take; 10 seconds"),
    Flag.withDefault("10 seconds"),
  ),
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON object"), Flag.withDefault(false)),
})

/** @param agents those that there are */
export const make = (agents: ReadonlyArray<Agent>) =>
  Command.make("doctor", config(agents), (asked) =>
    ExitCode.from(
      () => import("./Doctor.ts"),
      ({ run }) => run(asked, agents),
    ),
  ).pipe(
    Command.withDescription(
      "Finds out which agents and MCP servers work here, and says what to do about those that do not. Runs no turn: no model is asked, and it costs nothing. Exit code 0: no problem. 1: a problem. 2: wrong usage.",
    ),
    Command.withShortDescription("Find out which agents work here"),
    Command.withExamples([
      { command: "zain doctor", description: "Check the agents of this machine" },
      { command: "zain doctor --provider codex --json", description: "One agent, as JSON for a bug report" },
      {
        command: "zain doctor --server 'node server.js --stdio'",
        description: "Check an MCP server that is a command",
      },
      {
        command: "zain doctor --server https://example.com/mcp --bearer-token-env TOKEN",
        description: "Check one over Streamable HTTP, or over SSE with sse+https://…",
      },
    ]),
  )
