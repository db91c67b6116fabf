/**
 * A command of Codex's, as people and rules read it.
 */
import * as ShellQuote from "@zain/process/ShellQuote"

/** With its directory: a program of that name elsewhere is not a shell for sure. */
const shells = /^\/(?:usr\/(?:local\/)?)?bin\/(?:ba|z|da)?sh$/

/**
 * The command line of an argument vector: the script, where all that Codex adds is the shell that runs it.
 *
 * @returns the line, or `undefined` for what is no vector
 */
export const inWords = (args: unknown): string | undefined => {
  if (!isTexts(args) || args.length === 0) return undefined
  const [shell = "", option, script] = args
  if (args.length === 3 && script !== undefined && shells.test(shell) && (option === "-lc" || option === "-c"))
    return script
  return ShellQuote.line(args)
}

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((one) => typeof one === "string")
