/**
 * How Codex's things are said to people.
 */
import * as ShellQuote from "@zain/process/ShellQuote"

/** A program of that name elsewhere is not a shell for sure. */
const wrapper = /^\/(?:usr\/(?:local\/)?)?bin\/(?:ba|z|da)?sh -l?c (?:'([^']*)'|"([^"\\$`!]*)"|([\w./:=@%+,-]+))$/s

/** A command line without the shell that Codex puts around it, where nothing was quoted inside. */
export const unwrapped = (command: string): string => {
  const match = wrapper.exec(command)
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? command
}

/** A command that comes as its arguments, as one would type it. */
export const joined = (args: ReadonlyArray<string>): string => {
  const [shell = "", option = "", script] = args
  const isShell =
    args.length === 3 && /^\/(?:usr\/(?:local\/)?)?bin\/(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(option)
  return isShell && script !== undefined ? script : ShellQuote.line(args)
}
