/**
 * The options of `zain run`.
 */
import type { Agent } from "@zain/agent-list/Agent"
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../Flags.ts"

const directory = (name: string, description: string) =>
  Flag.Directory(name, { mustExist: true }).pipe(Flag.withDescription(description))

export const options = (agents: ReadonlyArray<Agent>) => ({
  provider: Flags.provider(agents, "The agent; default: the only one on PATH"),
  thread: Flag.optional(Flags.text("thread", "ID", "Continues this thread, in the directory where it began")),
  fork: Flag.optional(Flags.text("fork", "ID", "Continues a copy of this thread, which itself stays as it is")),
  last: Flags.isGiven("last", "Continues the newest thread of this agent in this directory"),
  cwd: Flag.optional(directory("cwd", "The agent's directory; default: the working directory")),
  model: Flag.optional(Flags.text("model", "MODEL", "The model; default: the agent's own setting")),
  effort: Flag.optional(
    Flags.text("effort", "LEVEL", "How hard the model thinks, such as low or high; default: its own"),
  ),
  sandbox: Flag.optional(
    Flags.text("sandbox", "MODE", "What commands may write, such as read-only; default: the agent's own setting"),
  ),
  permissionMode: Flag.optional(
    Flags.text("permission-mode", "MODE", "What the agent does unasked, such as plan; default: its own setting"),
  ),
  maxTurns: Flag.optional(
    Flag.Int("max-turns").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("Ends a turn after N requests to the model; stays with the thread; default: any number"),
      Flag.filter(
        (count) => count > 0,
        () => "must be 1 or more",
      ),
    ),
  ),
  image: Flags.texts("image", "FILE", "Shows this PNG, JPEG, WebP or GIF to the agent; repeatable"),
  schema: Flag.optional(
    Flags.text(
      "schema",
      "FILE",
      "Answers with JSON that fits the JSON Schema in this file; standard output has it alone",
    ),
  ),
  timeout: Flag.optional(Flags.timeout("Limit of the turn, such as 90s, 10m or 1h; default: none")),
  approveCommand: Flags.texts("approve-command", "COMMAND", "Approves this exact command line; repeatable"),
  approveCommandMatching: Flags.texts(
    "approve-command-matching",
    "REGEX",
    "Approves command lines that match as a whole; .* also matches `; rm -rf ~`; repeatable",
  ),
  approveChanges: Flag.atLeast(
    directory(
      "approve-changes",
      "Approves changes of files in this directory or below, relative to the working directory; repeatable",
    ),
    0,
  ),
  approveTool: Flags.texts(
    "approve-tool",
    "TOOL",
    "Approves this tool with any arguments, such as WebFetch or github.list_issues; repeatable",
  ),
  cluster: Flag.optional(
    Flags.text(
      "cluster",
      "URL",
      "Runs the agent on the runners of the cluster with this PostgreSQL; PGPASSWORD has the password",
    ),
  ),
  workspace: Flag.optional(
    Flags.text("workspace", "NAME", "The workspace of the runners, with --cluster; default: their only one"),
  ),
  command: Flag.optional(Flags.text("command", "PROGRAM", "The agent's program; default: the one on PATH")),
  env: Flags.texts("env", "NAME", "Passes this variable to the agent; repeatable"),
  json: Flags.isGiven(
    "json",
    "Prints events as lines of JSON, the result last; declines approvals that no option allows",
  ),
  prompt: Argument.String("prompt").pipe(
    Argument.withDescription("The prompt, after -- if it begins with a dash; - or none reads standard input"),
    Argument.optional,
  ),
})

/** The parsed options. */
export type Asked = Command.Command.Config.Infer<ReturnType<typeof options>>
