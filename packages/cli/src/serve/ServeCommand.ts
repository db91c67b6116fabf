/**
 * `zain serve`: an agent as an MCP server, with the options of the agents' own commands from the same table.
 */

import type { Agent } from "@zain/agent-list/Agent"
import * as ServerCommandLine from "@zain/agent-server/ServerCommandLine"
import type { Option as Described } from "@zain/command/OptionTable"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as AgentProgram from "../AgentProgram.ts"
import * as ExitCode from "../ExitCode.ts"
import * as Flags from "../Flags.ts"
import * as WrongUsage from "../WrongUsage.ts"

const table: Readonly<Record<string, Described<unknown>>> = ServerCommandLine.options("the usual one")

/** Converts a parsed option back to arguments, which the agent's command parses. */
const flag = (name: string, { help, kind, takes = "VALUE" }: Described<unknown>): Flag.Flag<ReadonlyArray<string>> => {
  const description = help.replaceAll("\n", " ")
  if (kind === "flag") return Flag.map(Flags.isGiven(name, description), (is) => (is ? [`--${name}`] : []))
  const given = Flags.text(name, takes, description)
  const all = kind === "many" ? Flag.atLeast(given, 0) : Flag.map(Flag.optional(given), Option.toArray)
  return Flag.map(all, (values) => values.map((value) => `--${name}=${value}`))
}

const config = (agents: ReadonlyArray<Agent>) => ({
  agent: Argument.Literals(
    "agent",
    agents.map(({ name }) => name),
  ).pipe(Argument.withDescription(`Which agent to serve: ${agents.map(({ name }) => name).join(" or ")}`)),
  transport: Argument.Literals("transport", ["stdio", "http", "sse"]).pipe(
    Argument.withDescription("stdio (default) for one client, or http or sse for any number"),
    Argument.optional,
  ),
  options: Object.entries(table).map(([name, option]) => flag(name, option)),
})

const description = (
  name: string,
) => `Serves an agent over MCP: its tools start and continue threads, stream events, and request approvals.

stdio serves one client on standard input and output, http any number at /mcp, sse any number at /sse. Arguments after -- are for the agent's program. Each agent's command, such as zain-${name}-mcp, is the same server without zain.`

/**
 * @param agents the agents to offer
 * @param behind the arguments after `--`
 */
export const make = (agents: ReadonlyArray<Agent>, behind: ReadonlyArray<string>) => {
  const [{ name: one } = { name: "" }, { name: other } = { name: one }] = agents
  return Command.make("serve", config(agents), ({ agent: name, options, transport }) =>
    ExitCode.from(
      async () => {
        const agent = agents.find((one) => one.name === name)
        return agent === undefined ? undefined : { serve: await agent.serve(), facts: await agent.facts() }
      },
      (agent) => {
        if (agent === undefined) return WrongUsage.fail(["zain", "serve"], `Unknown agent ${name}.`)
        const given = options.flat()
        const isNamed = given.some((option) => option.startsWith("--command="))
        const { passedOver = [], program } = isNamed ? {} : AgentProgram.find(agent.facts)
        if (program === undefined && passedOver.length > 0) {
          return Effect.fail(new Error(AgentProgram.missing(agent.facts, undefined, passedOver)))
        }
        const command = program === undefined ? [] : [`--command=${program}`]
        return agent.serve(`zain serve ${name}`, [...Option.toArray(transport), ...command, ...given, "--", ...behind])
      },
    ),
  ).pipe(
    Command.withDescription(description(one)),
    Command.withShortDescription("Serve an agent over MCP"),
    Command.withExamples([
      { command: `zain serve ${one}`, description: "For an MCP client that starts this command" },
      { command: `zain serve ${one} --root ~/project`, description: "Reject requests for other directories" },
      {
        command: `zain serve ${other} http --port 8931`,
        description: "Any number of clients, at http://127.0.0.1:8931/mcp",
      },
      { command: `zain serve ${one} --env MY_PROVIDER_KEY -- --some-flag-of-${one}` },
    ]),
  )
}
