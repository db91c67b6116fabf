/**
 * One MCP server as a configuration file has it, whatever the file's dialect.
 */
import type { Finding } from "../doctor/Finding.ts"

/**
 * A process, or a URL. Variables are expanded.
 *
 * - `passed`: names of variables of the host that the file wants to reach the server
 */
export type Target =
  | {
      readonly transport: "stdio"
      readonly command: string
      readonly args: ReadonlyArray<string>
      readonly cwd: string
      readonly env: Readonly<Record<string, string>>
      readonly passed: ReadonlyArray<string>
    }
  | {
      readonly transport: "streamable-http" | "sse"
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
    }

/**
 * - `name`, `file`, `path`: what it is called, and where it stands
 * - `transport`, `shown`: how it is reached, as the file says it: variables are not expanded
 * - `isEnabled`: whether the file wants it
 * - `target`: absent for one that cannot be reached from here, which `findings` say why
 * - `secrets`: what must not show
 * - `timeout`: how long it may take to start, in seconds, by its file
 */
export interface ServerEntry {
  readonly name: string
  readonly file: string
  readonly path: string
  readonly transport: string
  readonly shown: string
  readonly isEnabled: boolean
  readonly target?: Target
  readonly secrets: ReadonlyArray<string>
  readonly timeout?: number
  readonly findings: ReadonlyArray<Finding>
}

/** Where a file's servers are read. */
export interface Place {
  readonly file: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

const plain = /^[\w@%+=:,./${}~-]+$/

/** A command line as a shell would take it. */
export const commandLine = (words: ReadonlyArray<string>): string =>
  words.map((word) => (plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ")

/** A URL without its query, which may hold secrets. */
export const shownUrl = (url: string): string => {
  const [path = "", query] = url.split("?")
  return query === undefined ? path : `${path}?…`
}

/** The value of a variable that is shorter, and not a secret by its name, is too likely to be a word. */
const shortest = 8
const secretName = /key|token|secret|passw|credential|auth/i

/** What of variables must not show. */
export const secretsOf = (env: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(env).flatMap(([name, value]) => (secretName.test(name) || value.length >= shortest ? [value] : []))

/** A header's value, and its credential alone. */
export const secretsOfHeaders = (headers: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.values(headers).flatMap((value) => [value, value.replace(/^(?:Bearer|Basic)\s+/i, "")])
