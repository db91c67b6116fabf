/**
 * A command line as a URL: `stdio:codex?arg=mcp-server&cwd=/srv`.
 */

/** A command line, and the directory to start it in: what `format` encodes and `parse` returns. */
export interface StdioCommand {
  /** The program: a name to find on `PATH`, or an absolute path. */
  readonly command: string
  /** The arguments, passed unchanged: no shell splits or expands them. */
  readonly args: ReadonlyArray<string>
  /** The directory to start the process in; this process's working directory if absent. */
  readonly cwd?: string
}

const scheme = "stdio:"

/**
 * Keeps slashes readable, except two at the start, which would name a host. `toWellFormed`, as half a surrogate pair
 * has no encoding, neither here nor in a process's arguments.
 */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed()).replace(/(?<!^)%2F|^%2F(?!%2F)/g, "/")

/**
 * Encodes a command as the `serverUrl` of a stdio connection.
 *
 * @param command the program, its arguments, and optionally its directory; half a surrogate pair in them becomes U+FFFD
 *
 * @example
 * ```ts
 * import { StdioUrl } from "@zain/core"
 *
 * StdioUrl.format({ command: "codex", args: ["mcp-server"] }) // "stdio:codex?arg=mcp-server"
 * ```
 */
export const format = ({ args, command, cwd }: StdioCommand): string => {
  const parameters = args.map((arg) => `arg=${encode(arg)}`)
  if (cwd !== undefined) parameters.push(`cwd=${encode(cwd)}`)
  return `${scheme}${encode(command)}${parameters.length === 0 ? "" : `?${parameters.join("&")}`}`
}

/**
 * Decodes the command of a stdio URL; the inverse of `format`.
 *
 * @param url a `serverUrl`, such as `stdio:codex?arg=mcp-server`
 * @returns the command, or `undefined` if the text is not a stdio URL, has unknown parameters, or holds a NUL character
 */
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

/**
 * Returns whether a text is a stdio URL that `parse` can decode.
 *
 * @param url any text, such as the `serverUrl` of a configuration
 */
export const isStdioUrl = (url: string): boolean => parse(url) !== undefined

const splitOnce = (text: string, separator: string): readonly [string, string] => {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)]
}
