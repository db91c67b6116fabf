/**
 * The name of a program in messages: its command, or its script if the command is this Node.
 */
import { basename } from "node:path"

interface Program {
  /** The executable. */
  readonly command: string
  /** The arguments of the executable. */
  readonly args: ReadonlyArray<string>
}

/**
 * Returns the name of a program: `my-agent` if `process.execPath` runs `my-agent.mjs`, else the command. The file names
 * `cli`, `index`, `main` and `server` keep their extension.
 *
 * @param program the command that starts the program, with its arguments; options of Node before the script are skipped
 */
export const of = (program: Program): string =>
  program.command === process.execPath ? scriptOf(program) : program.command

const ending = /\.[cm]?[jt]s$/

/** Names of files that identify no program without their extension. */
const usual: ReadonlySet<string> = new Set(["cli", "index", "main", "server"])

const scriptOf = ({ args, command }: Program): string => {
  const script = scriptAmong(args)
  if (script === undefined) return command
  const file = basename(script)
  const name = file.replace(ending, "")
  if (name === "" || name === "." || name === "..") return command
  return usual.has(name) ? file : name
}

/** Options of Node whose value may be the next argument. */
const valued =
  /^(?:-[rC]|--(?:require|import|loader|experimental-loader|conditions|env-file(?:-if-exists)?|title|input-type|unhandled-rejections|diagnostic-dir|inspect-port|watch-path))$/

/** Options that contain the program, or read it from standard input: the arguments that follow are the program's. */
const scriptless = /^(?:-|-e|-p|-pe|(?:--eval|--print|--run)(?:=.*)?)$/s

/** The script among Node's arguments. @see node(1) */
const scriptAmong = (args: ReadonlyArray<string>): string | undefined => {
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ""
    if (scriptless.test(arg)) return undefined
    if (arg === "--") return args[at + 1]
    if (!arg.startsWith("-")) return arg
    if (valued.test(arg)) at += 1
  }
  return undefined
}
