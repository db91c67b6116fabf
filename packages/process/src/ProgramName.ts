/**
 * What messages call a program: its command, or its script where Node runs one.
 */
import { basename } from "node:path"

interface Program {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/** The name of a program, from what starts it. */
export const of = (program: Program): string =>
  program.command === process.execPath ? scriptOf(program) : program.command

const ending = /\.[cm]?[jt]s$/

/** Names of files that say nothing without their ending. */
const usual: ReadonlySet<string> = new Set(["cli", "index", "main", "server"])

const scriptOf = ({ args, command }: Program): string => {
  const script = scriptAmong(args)
  if (script === undefined) return command
  const file = basename(script)
  const name = file.replace(ending, "")
  if (name === "" || name === "." || name === "..") return command
  return usual.has(name) ? file : name
}

/** Options of Node's whose value may be the next argument. */
const valued =
  /^(?:-[rC]|--(?:require|import|loader|experimental-loader|conditions|env-file(?:-if-exists)?|title|input-type|unhandled-rejections|diagnostic-dir|inspect-port|watch-path))$/

/** Options that bring the program, or take it from the standard input: what follows are its arguments. */
const scriptless = /^(?:-|-e|-p|-pe|(?:--eval|--print|--run)(?:=.*)?)$/s

/** The program that Node runs. @see node(1) */
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
