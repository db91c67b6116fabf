/**
 * Commands of Codex as command lines, for people and for rules.
 */
import * as ShellQuote from "@zain/process/ShellQuote"

/** With its directory, because a program of that name elsewhere may not be a shell. */
const shells = /^\/(?:usr\/(?:local\/)?)?bin\/(?:ba|z|da)?sh$/

/**
 * The command line of an argument vector. When Codex only wraps a script in a shell, it is the script.
 *
 * @returns the line, or `undefined` for a value that is not an argument vector
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
