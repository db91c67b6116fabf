/**
 * `zain doctor`: the arguments.
 */
import type { Agent } from "@zain/agent-list/Agent"
import * as Command from "effect/cli/Command"
import * as ExitCode from "../ExitCode.ts"
import { options } from "./DoctorOptions.ts"

/** @param agents the agents of `--provider` */
export const make = (agents: ReadonlyArray<Agent>) =>
  Command.make("doctor", options(agents), (asked) =>
    ExitCode.from(
      () => import("./Doctor.ts"),
      ({ run }) => run(asked, agents),
    ),
  ).pipe(
    Command.withDescription(
      "Checks agents and MCP servers, and prints a fix for each problem. Starts each agent, and with it the MCP servers of its user's configuration, up to the request to the model. Runs no turn: no model is called, and it costs nothing. Exit code 0: no problem. 1: a problem. 2: wrong usage.",
    ),
    Command.withShortDescription("Check which agents work here"),
    Command.withExamples([
      { command: "zain doctor", description: "Check the agents of this machine" },
      {
        command: `zain doctor --provider ${agents[0]?.name} --json`,
        description: "One agent, as JSON for a bug report",
      },
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
