/**
 * Runs an agent's server as a command.
 */
import { existsSync, statSync } from "node:fs"
import { clip } from "@zain/command/Clip"
import * as Program from "@zain/command/Program"
import { visibleLine } from "@zain/core/TerminalText"
import { ownVersion } from "@zain/process/OwnVersion"
import * as ProgramPath from "@zain/process/ProgramPath"
import * as RootDirectory from "@zain/tool-server/RootDirectory"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Command } from "./ServeAgent.ts"
import * as ServerCommandLine from "./ServerCommandLine.ts"

/** Runs a command with this process's arguments. The process exits with its exit code. */
export const run = <StartOptions>(command: Command<StartOptions>): void => {
  Program.ignoreLostReaders()
  Program.run(command.name, work(command, process.argv.slice(2)))
}

/**
 * Runs a command.
 *
 * @param args the arguments, without the command's name
 * @returns the exit code
 */
export const work = <StartOptions>(
  command: Command<StartOptions>,
  args: ReadonlyArray<string>,
): Effect.Effect<number, Error, Scope.Scope> =>
  Effect.suspend(() => {
    const parsed = ServerCommandLine.parse(args, command)
    if (Result.isFailure(parsed)) return refuse(command, `${parsed.failure} See ${command.name} --help.`, 2)
    const asked = parsed.success
    if (asked._tag === "Help") return Effect.as(print(process.stdout, ServerCommandLine.help(command)), 0)
    if (asked._tag === "Version") return Effect.as(print(process.stdout, `${ownVersion}\n`), 0)

    const roots: Array<string> = []
    for (const given of asked.roots) {
      const root = RootDirectory.find(given)
      if (root === undefined) return refuse(command, `--root ${given} is not an existing directory.`, 2)
      roots.push(root)
    }
    const program = ProgramPath.find(asked.command, process.env)
    return program === undefined
      ? refuse(command, ...missing(command, asked.command))
      : Effect.flatMap(
          Effect.promise(() => import("./ServeAgent.ts")),
          ({ serve }) => serve(command, asked, program, roots),
        )
  })

const print = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void> =>
  Effect.callback((resume) => void stream.write(text, () => resume(Effect.void)))

const refuse = ({ name }: ServerCommandLine.CommandName, message: string, code: number) =>
  Effect.as(print(process.stderr, `${name}: ${message}\n`), code)

/** The value of `PATH` in one line, for a message. */
const searched = (): string => {
  const path = process.env["PATH"] ?? ""
  return path === "" ? "" : ` (${clip(visibleLine(path), 200)})`
}

/**
 * Why the agent cannot be started, and the exit code of shells for that, by which a client detects that nothing was started.
 *
 * @see POSIX.1-2024, Shell Command Language, 2.8.2 Exit Status for Commands
 */
const missing = (
  { install, name, program }: Pick<Command<never>, "install" | "name" | "program">,
  named: string,
): readonly [message: string, exitCode: number] => {
  const byOption = `with \`command\` of local() or --command of ${name}`
  const other = `the path of ${program} ${byOption}, or leave it out to run ${program} from PATH ("${install}").`
  if (/[\\/]/.test(named) && existsSync(named)) {
    const why = statSync(named).isDirectory() ? "is a directory" : "may not be executed. Check its permissions"
    return [`The program ${named} ${why}. Set ${other}`, 126]
  }
  const message =
    named === program
      ? `The program ${program} was not found on PATH${searched()}. Install it with "${install}", add its directory to PATH, or set its path ${byOption}.`
      : `The program ${named} was not found. Correct ${other}`
  return [message, 127]
}
