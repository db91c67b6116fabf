/**
 * `zain run`.
 */
import type { Agent } from "@zain/agents/Agent"
import * as Command from "effect/cli/Command"
import * as ExitCode from "../ExitCode.ts"
import { options } from "./RunOptions.ts"

const description = `Gives a prompt to a coding agent, and prints its answer as it comes.

The answer goes to standard output, and all else to standard error: on a terminal as it comes, elsewhere message by message,
when each is whole. What the agent asks before it acts is asked on the terminal. Where there is none, and with --json, it is declined, unless an --approve option allows it. No option allows
everything: what an agent may do unasked is for its own sandbox and settings to say.

Ctrl-C interrupts the agent, and a second one ends everything at once.

Exit code: 0 when the agent has answered, 1 when something failed, 2 for wrong usage, 130 after Ctrl-C.`

/** @param agents those that there are */
export const make = (agents: ReadonlyArray<Agent>) => {
  const zain = `zain run --provider ${agents[0]?.name}`
  return Command.make("run", options(agents), (asked) =>
    ExitCode.from(
      () => import("./Run.ts"),
      ({ run }) => run(asked, agents),
    ),
  ).pipe(
    Command.withDescription(description),
    Command.withShortDescription("Give a prompt to an agent, and see its answer as it comes"),
    Command.withExamples([
      { command: `${zain} "Say what this project does"` },
      {
        command: `git diff | zain run --provider ${agents.at(-1)?.name} -`,
        description: "The prompt comes through a pipe",
      },
      { command: `${zain} --last "Now mend it"`, description: "The same conversation goes on" },
      { command: `${zain} -- "- mend this"`, description: "A prompt that begins with a dash" },
      {
        command: `${zain} --approve-changes src "Mend the failing test"`,
        description: "For scripts: what is allowed is said beforehand",
      },
      { command: `${zain} --json "List the open tasks" | jq -r 'select(._tag == "Result").content'` },
    ]),
  )
}
