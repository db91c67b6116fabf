/**
 * Arguments that begin with `-` and are no options, such as a prompt that is a list: letter by letter they would be taken
 * for options, and an `h` in them for a wish for help.
 */
import { clip } from "@zain/tool-server/Clip"
import { clean } from "@zain/tool-server/TerminalText"

/** Negative numbers are no options. */
const isNumber = /^-[\d.]+(?:e[+-]?\d+)?$/i

const isNoOption = (argument: string): boolean => {
  if (!argument.startsWith("-") || argument === "-" || isNumber.test(argument)) return false
  return argument.startsWith("--") ? !/^--[\w-]+(?:=|$)/.test(argument) : [...argument].length > 2
}

const longest = 40

/**
 * What is wrong with the first such argument before `--`, if there is one.
 *
 * @example
 * ```ts
 * DashArguments.wrong(["run", "- mend this"]) // '"- mend this" is not an option. Write -- before a prompt that begins with -.'
 * ```
 */
export const wrong = (args: ReadonlyArray<string>): string | undefined => {
  const end = args.indexOf("--")
  const found = args.slice(0, end === -1 ? args.length : end).find(isNoOption)
  if (found === undefined) return undefined
  return `"${clip(clean(found), longest)}" is not an option. Write -- before a prompt that begins with -.`
}
