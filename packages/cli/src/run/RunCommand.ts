/**
 * `zain run`.
 */
import type { Agent } from "@zain/agent-list/Agent"
import * as Command from "effect/cli/Command"
import * as ExitCode from "../ExitCode.ts"
import { options } from "./RunOptions.ts"

const description = `Sends a prompt to a coding agent, and prints its answer.

The answer goes to standard output: streamed on a terminal, one whole message at a time elsewhere. Everything else goes to standard error. Approvals are requested on the terminal. Without a terminal, and with --json, they are declined unless an --approve option allows them. No option allows everything: configure the agent's own sandbox and settings for that.

Ctrl-C interrupts the agent; a second Ctrl-C ends everything at once.

Exit code: 0 if the agent answered, 1 if something failed, 2 for wrong usage, 130 after Ctrl-C.`

/** @param agents the agents of `--provider` */
export const make = (agents: ReadonlyArray<Agent>) => {
  const zain = `zain run --provider ${agents[0]?.name}`
  return Command.make("run", options(agents), (asked) =>
    ExitCode.from(
      () => import("./Run.ts"),
      ({ run }) => run(asked, agents),
    ),
  ).pipe(
    Command.withDescription(description),
    Command.withShortDescription("Send a prompt to an agent, and stream its answer"),
    Command.withExamples([
      { command: `${zain} "Say what this project does"` },
      {
        command: `git diff | zain run --provider ${agents.at(-1)?.name} -`,
        description: "Read the prompt from a pipe",
      },
      { command: `${zain} --last "Now mend it"`, description: "Continue the newest conversation" },
      { command: `${zain} -- "- mend this"`, description: "A prompt that begins with a dash" },
      {
        command: `${zain} --approve-changes src "Mend the failing test"`,
        description: "For scripts: approve changes in advance",
      },
      { command: `${zain} --schema verdict.json "Is this ready?" | jq .missing`, description: "An answer as JSON" },
      { command: `${zain} --json "List the open tasks" | jq -r 'select(._tag == "Result").content'` },
    ]),
  )
}
