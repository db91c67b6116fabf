/**
 * The agent of a command.
 */
import type { Agent } from "@zain/agent-list/Agent"
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import type * as CliError from "effect/cli/CliError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as AgentProgram from "./AgentProgram.ts"
import * as WrongUsage from "./WrongUsage.ts"

/** An agent with its facts. */
export interface Known {
  readonly agent: Agent
  readonly facts: AgentFacts
}

/** The options that choose. */
export interface Choosing {
  /** The agent's program. */
  readonly command: Option.Option<string>
  readonly provider: Option.Option<string>
}

/**
 * The agent of `--provider`, or the only one on PATH.
 *
 * @param command the path of the command, for wrong usage
 * @param cwd the agent's directory, in which no program is searched
 */
export const choose = Effect.fnUntraced(function* (
  command: ReadonlyArray<string>,
  { command: named, provider }: Choosing,
  agents: ReadonlyArray<Agent>,
  cwd: string,
): Effect.fn.Return<Known, Error | CliError.ShowHelp> {
  const wanted = Option.getOrUndefined(provider)
  const all = yield* Effect.forEach(
    agents.filter(({ name }) => wanted === undefined || name === wanted),
    (agent) => Effect.map(Effect.promise(agent.facts), (facts): Known => ({ agent, facts })),
  )
  const choice = all.map(({ agent }) => `--provider ${agent.name}`).join(" or ")
  const [first] = all
  if (wanted !== undefined && first !== undefined) return first
  if (Option.isSome(named)) return yield* WrongUsage.fail(command, `--command requires --provider: ${choice}.`)
  const here = all.filter(({ facts }) => AgentProgram.find(facts, undefined, cwd).program !== undefined)
  const [only, ...others] = here
  if (only !== undefined && others.length === 0) return only
  if (only !== undefined) return yield* WrongUsage.fail(command, `More than one agent is on PATH. Choose: ${choice}.`)
  const installs = all.map(({ facts }) => facts.install)
  return yield* Effect.fail(new Error(`No agent is on PATH. Install one: ${installs.join(", or ")}.`))
})
