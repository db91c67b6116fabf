/**
 * What `zain run` takes.
 */
import type { Agent } from "@zain/agents/Agent"
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

const units: Readonly<Record<string, string>> = { s: "seconds", m: "minutes", h: "hours" }

/** A time as people write it: `90s`, `10m`, `1h`, or in words, such as `90 seconds`. */
const timeOf = (text: string): Option.Option<Duration.Duration> => {
  const [, count, unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*([smh])\s*$/.exec(text) ?? []
  const words = count === undefined ? text.trim() : `${count} ${units[unit]}`
  return Option.filter(Duration.fromInput(words as Duration.Input), Duration.isPositive)
}

const texts = (flag: Flag.Flag<string>) => Flag.atLeast(flag, 0)

export const options = (agents: ReadonlyArray<Agent>) => ({
  provider: Flag.Literals(
    "provider",
    agents.map(({ name }) => name),
  ).pipe(Flag.withDescription("Which agent does it; by default the only one there is"), Flag.optional),
  thread: Flag.String("thread").pipe(
    Flag.withMetavar("id"),
    Flag.withDescription("Goes on with this conversation, where it was begun"),
    Flag.optional,
  ),
  last: Flag.Boolean("last").pipe(
    Flag.withoutNegation,
    Flag.withDefault(false),
    Flag.withDescription(
      "Goes on with the newest conversation that zain run has had with this agent in this directory",
    ),
  ),
  cwd: Flag.Directory("cwd", { mustExist: true }).pipe(
    Flag.optional,
    Flag.withDescription("Where it works; by default the directory that zain is started in"),
  ),
  model: Flag.String("model").pipe(
    Flag.optional,
    Flag.withDescription("Which model; by default what the agent itself is set to"),
  ),
  timeout: Flag.String("timeout").pipe(
    Flag.withMetavar("time"),
    Flag.filterMap(timeOf, () => "a time, such as 90s, 10m or 1h"),
    Flag.optional,
    Flag.withDescription("How long it may take, such as 90s, 10m or 1h; by default as long as it wants"),
  ),
  approveCommand: texts(
    Flag.String("approve-command").pipe(
      Flag.withMetavar("command"),
      Flag.withDescription("Allows this command line, exactly as it is asked for; may be given more than once"),
    ),
  ),
  approveCommandMatching: texts(
    Flag.String("approve-command-matching").pipe(
      Flag.withMetavar("regex"),
      Flag.withDescription("Allows command lines that match from end to end; a loose .* allows `; rm -rf ~` too"),
    ),
  ),
  approveChanges: Flag.Directory("approve-changes", { mustExist: true }).pipe(
    Flag.withDescription(
      "Allows changes of files, all of them in this directory or below; relative to where zain is started",
    ),
    Flag.atLeast(0),
  ),
  approveTool: texts(
    Flag.String("approve-tool").pipe(
      Flag.withMetavar("tool"),
      Flag.withDescription("Allows this tool, such as WebFetch or github.list_issues, with any arguments"),
    ),
  ),
  command: Flag.String("command").pipe(
    Flag.withMetavar("program"),
    Flag.optional,
    Flag.withDescription("The agent's program; by default the one on PATH"),
  ),
  env: texts(
    Flag.String("env").pipe(
      Flag.withMetavar("name"),
      Flag.withDescription("Passes one more variable on to the agent, by its name"),
    ),
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withoutNegation,
    Flag.withDefault(false),
    Flag.withDescription("Prints what happens as lines of JSON, and the result as the last one; nothing is asked"),
  ),
  prompt: Argument.String("prompt").pipe(
    Argument.withDescription(
      "What the agent is asked, after -- if it begins with a dash; - or nothing reads it from standard input",
    ),
    Argument.optional,
  ),
})

/** What was asked for, as it was read. */
export type Asked = Command.Command.Config.Infer<ReturnType<typeof options>>
