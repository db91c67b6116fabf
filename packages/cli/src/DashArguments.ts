/**
 * Arguments that begin with `-` and are not options, such as a prompt that is a list. The parser would read each letter
 * as an option, and an `h` as `--help`.
 */
import { clip } from "@zain/command/Clip"
import { clean } from "@zain/command/PlainText"

/** Negative numbers are not options. */
const isNumber = /^-[\d.]+(?:e[+-]?\d+)?$/i

const isNoOption = (argument: string): boolean => {
  if (!argument.startsWith("-") || argument === "-" || isNumber.test(argument)) return false
  return argument.startsWith("--") ? !/^--[\w-]+(?:=|$)/.test(argument) : [...argument].length > 2
}

const maxLength = 40

/**
 * The message about the first such argument before `--`, if there is one.
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
  return `"${clip(clean(found), maxLength)}" is not an option. Write -- before a prompt that begins with -.`
}
