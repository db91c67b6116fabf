/**
 * `zain threads`: the arguments.
 */
import type { Agent } from "@zain/agent-list/Agent"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as ExitCode from "../ExitCode.ts"
import * as Flags from "../Flags.ts"

const id = Argument.String("id").pipe(Argument.withDescription("The thread's id, as zain threads list prints it"))
const codes = "Exit code: 0 for success, 1 if something failed, such as an unknown thread, 2 for wrong usage."

const common = (agents: ReadonlyArray<Agent>) => ({
  provider: Flags.provider(agents, "The agent; default: the only one on PATH"),
  command: Flag.optional(Flags.text("command", "PROGRAM", "The agent's program; default: the one on PATH")),
  env: Flags.texts("env", "NAME", "Passes this variable to the agent; repeatable"),
})
const json = (description: string) => Flags.isGiven("json", description)

const load = () => import("./ThreadActions.ts")

const list = (agents: ReadonlyArray<Agent>) => {
  const flags = {
    ...common(agents),
    all: Flags.isGiven("all", "Lists the threads of every directory"),
    archived: Flags.isGiven("archived", "Lists archived threads in place of the others"),
    limit: Flag.withDefault(
      Flag.Int("limit").pipe(
        Flag.withMetavar("N"),
        Flag.withDescription("The most threads, 1 to 100; default: 20"),
        Flag.filter(
          (count) => count >= 1 && count <= 100,
          () => "must be from 1 to 100",
        ),
      ),
      20,
    ),
    cursor: Flag.optional(Flags.text("cursor", "CURSOR", "Continues a list, as it prints it at its end")),
    json: json("Prints one JSON object: the threads, and the cursor of the next page"),
  }
  return Command.make("list", flags, (asked) => ExitCode.from(load, ({ list }) => list(asked, agents))).pipe(
    Command.withDescription(
      `Lists the threads that an agent has stored, those that changed last first, also those of its own command line. ${codes}`,
    ),
    Command.withShortDescription("List the threads of this directory, or of all"),
    Command.withExamples([
      { command: "zain threads list", description: "The threads that began in this directory" },
      { command: `zain threads list --provider ${agents[0]?.name} --all --json | jq -r '.threads[].threadId'` },
    ]),
  )
}

const show = (agents: ReadonlyArray<Agent>) =>
  Command.make("show", { id, ...common(agents), json: json("Prints each turn as a line of JSON") }, (asked) =>
    ExitCode.from(load, ({ show }) => show(asked, agents)),
  ).pipe(
    Command.withDescription(`Prints the prompts, answers and tool calls of a thread. ${codes}`),
    Command.withShortDescription("Print a thread"),
    Command.withExamples([
      { command: "zain threads show 0198f2c1-7c9b-7d52-9c0e-2f3a4b5c6d7e | less", description: "Read a thread" },
    ]),
  )

const fork = (agents: ReadonlyArray<Agent>) => {
  const flags = {
    id,
    ...common(agents),
    turn: Flag.optional(Flags.text("turn", "TURN", "The last turn of the copy, as zain threads show prints it")),
    json: json("Prints one JSON object with the copy's threadId"),
  }
  return Command.make("fork", flags, (asked) => ExitCode.from(load, ({ fork }) => fork(asked, agents))).pipe(
    Command.withDescription(`Copies a thread, and prints the id of the copy. ${codes}`),
    Command.withShortDescription("Copy a thread, whole or up to a turn"),
    Command.withExamples([
      { command: "zain threads fork 0198f2c1-7c9b-7d52-9c0e-2f3a4b5c6d7e", description: "Copy a whole thread" },
      {
        command: 'zain run --fork 0198f2c1-7c9b-7d52-9c0e-2f3a4b5c6d7e "Try it without a cache"',
        description: "Copy it, and continue the copy",
      },
    ]),
  )
}

const title = Argument.String("title").pipe(Argument.withDescription("The title, 1 to 200 characters"))

const rename = (agents: ReadonlyArray<Agent>) =>
  Command.make("rename", { id, title, ...common(agents) }, ({ title, ...asked }) =>
    ExitCode.from(load, ({ change }) => change(asked, { action: "rename", title }, agents)),
  ).pipe(
    Command.withDescription(`Gives a thread a title. ${codes}`),
    Command.withShortDescription("Give a thread a title"),
    Command.withExamples([{ command: 'zain threads rename 0198f2c1-7c9b-7d52-9c0e-2f3a4b5c6d7e "The cache"' }]),
  )

const archive = (agents: ReadonlyArray<Agent>) => {
  const flags = { id, ...common(agents), undo: Flags.isGiven("undo", "Takes it out of the archive") }
  return Command.make("archive", flags, ({ undo, ...asked }) =>
    ExitCode.from(load, ({ change }) => change(asked, { action: undo ? "unarchive" : "archive" }, agents)),
  ).pipe(
    Command.withDescription(`Takes a thread out of the usual list, and keeps it. ${codes}`),
    Command.withShortDescription("Take a thread out of the list, or return it"),
    Command.withExamples([
      { command: "zain threads archive 0198f2c1-7c9b-7d52-9c0e-2f3a4b5c6d7e" },
      { command: "zain threads archive --undo 0198f2c1-7c9b-7d52-9c0e-2f3a4b5c6d7e" },
    ]),
  )
}

const remove = (agents: ReadonlyArray<Agent>) =>
  Command.make("delete", { id, ...common(agents) }, (asked) =>
    ExitCode.from(load, ({ change }) => change(asked, { action: "delete" }, agents)),
  ).pipe(
    Command.withDescription(`Deletes what the agent has stored of a thread, for good, without a question. ${codes}`),
    Command.withShortDescription("Delete a thread for good"),
    Command.withExamples([{ command: "zain threads delete 0198f2c1-7c9b-7d52-9c0e-2f3a4b5c6d7e" }]),
  )

/** @param agents the agents of `--provider` */
export const make = (agents: ReadonlyArray<Agent>) =>
  Command.make("threads").pipe(
    Command.withDescription(
      "Lists, prints, copies, names, archives and deletes the conversations that an agent has stored. A thread that another process holds is not changed.",
    ),
    Command.withShortDescription("List, print, copy and delete stored conversations"),
    Command.withSubcommands([
      list(agents),
      show(agents),
      fork(agents),
      rename(agents),
      archive(agents),
      remove(agents),
    ]),
  )
