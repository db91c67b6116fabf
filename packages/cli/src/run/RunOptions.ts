/**
 * What `zain run` takes.
 */
import type { Agent } from "@zain/agents/Agent"
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../Flags.ts"

const directory = (name: string, description: string) =>
  Flag.Directory(name, { mustExist: true }).pipe(Flag.withDescription(description))

export const options = (agents: ReadonlyArray<Agent>) => ({
  provider: Flags.provider(agents, "Which agent does it; by default the only one there is"),
  thread: Flag.optional(Flags.text("thread", "ID", "Goes on with this conversation, where it was begun")),
  last: Flags.isGiven(
    "last",
    "Goes on with the newest conversation that zain run has had with this agent in this directory",
  ),
  cwd: Flag.optional(directory("cwd", "Where it works; by default the directory that zain is started in")),
  model: Flag.optional(Flags.text("model", "MODEL", "Which model; by default what the agent itself is set to")),
  timeout: Flag.optional(Flags.timeout("How long it may take, such as 90s, 10m or 1h; by default as long as it wants")),
  approveCommand: Flags.texts(
    "approve-command",
    "COMMAND",
    "Allows this command line, exactly as it is asked for; may be given more than once",
  ),
  approveCommandMatching: Flags.texts(
    "approve-command-matching",
    "REGEX",
    "Allows command lines that match from end to end; a loose .* allows `; rm -rf ~` too",
  ),
  approveChanges: Flag.atLeast(
    directory(
      "approve-changes",
      "Allows changes of files, all of them in this directory or below; relative to where zain is started",
    ),
    0,
  ),
  approveTool: Flags.texts(
    "approve-tool",
    "TOOL",
    "Allows this tool, such as WebFetch or github.list_issues, with any arguments",
  ),
  command: Flag.optional(Flags.text("command", "PROGRAM", "The agent's program; by default the one on PATH")),
  env: Flags.texts("env", "NAME", "Passes one more variable on to the agent, by its name"),
  json: Flags.isGiven("json", "Prints what happens as lines of JSON, and the result as the last one; nothing is asked"),
  prompt: Argument.String("prompt").pipe(
    Argument.withDescription(
      "What the agent is asked, after -- if it begins with a dash; - or nothing reads it from standard input",
    ),
    Argument.optional,
  ),
})

/** What was asked for, as it was read. */
export type Asked = Command.Command.Config.Infer<ReturnType<typeof options>>
