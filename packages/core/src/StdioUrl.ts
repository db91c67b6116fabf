/**
 * A command line as a URL: `stdio:codex?arg=mcp-server&cwd=/srv`.
 */

/** A command, its arguments as they are, and the directory to start it in. */
export interface StdioCommand {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd?: string
}

const scheme = "stdio:"

/**
 * Keeps slashes readable, except two at the start, which would name a host. Half a surrogate pair has no encoding, here
 * as in a process's arguments.
 */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed()).replace(/(?<!^)%2F|^%2F(?!%2F)/g, "/")

/** The command as a URL. */
export const format = ({ args, command, cwd }: StdioCommand): string => {
  const parameters = args.map((arg) => `arg=${encode(arg)}`)
  if (cwd !== undefined) parameters.push(`cwd=${encode(cwd)}`)
  return `${scheme}${encode(command)}${parameters.length === 0 ? "" : `?${parameters.join("&")}`}`
}

/** The command of a URL, or `undefined` when it is no stdio URL. `format` and `parse` undo each other. */
export const parse = (url: string): StdioCommand | undefined => {
  if (!url.startsWith(scheme)) return undefined
  const [path, query] = splitOnce(url.slice(scheme.length), "?")
  try {
    const command = decodeURIComponent(path)
    if (command.length === 0 || command.includes("\0")) return undefined
    const args: Array<string> = []
    let cwd: string | undefined
    for (const parameter of query === "" ? [] : query.split("&")) {
      const [name, encoded] = splitOnce(parameter, "=")
      const value = decodeURIComponent(encoded)
      if (value.includes("\0")) return undefined
      if (name === "arg") args.push(value)
      else if (name === "cwd") cwd = value
      else return undefined
    }
    return { command, args, ...(cwd === undefined ? {} : { cwd }) }
  } catch {
    return undefined
  }
}

/** Whether a text is a command as a URL. */
export const isStdioUrl = (url: string): boolean => parse(url) !== undefined

const splitOnce = (text: string, separator: string): readonly [string, string] => {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)]
}
