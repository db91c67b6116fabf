/**
 * One MCP server of a configuration file of any dialect.
 */
import type * as Result from "effect/Result"
import type { Client } from "../doctor/Advice.ts"
import type { Finding } from "../doctor/Finding.ts"

/**
 * A process or a URL, with variables expanded.
 *
 * - `passed`: names of host variables that the server receives
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
 * - `name`, `file`, `path`: its name, file, and path in the file
 * - `transport`, `shown`: as in the file, with variables unexpanded and secrets redacted
 */
export interface ServerEntry {
  readonly name: string
  readonly file: string
  readonly path: string
  /** The client of the file. */
  readonly client: Client
  readonly transport: string
  readonly shown: string
  /** Whether the file enables it. */
  readonly isEnabled: boolean
  /** Absent if it is not probed; `findings` have the reason. */
  readonly target?: Target
  /** Values to redact in the server's output. */
  readonly secrets: ReadonlyArray<string>
  /** The file's limit for its start, in seconds. */
  readonly timeout?: number
  readonly findings: ReadonlyArray<Finding>
}

/** The context of a file. */
export interface Place {
  readonly file: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/** The beginning of the sentence about a file that may have servers, and has none. */
export const noServers = "No servers:"

/** A format of files. */
export interface Format {
  /** Parses a text, or fails with one sentence that repeats nothing of the text. */
  readonly parse: (text: string, file: string) => Promise<Result.Result<unknown, string>>
  /** Reads the servers of a content, or fails with one sentence about the file. */
  readonly read: (content: unknown, place: Place) => Result.Result<ReadonlyArray<ServerEntry>, string>
}
