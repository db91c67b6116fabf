/**
 * One MCP server as a configuration file has it, whatever the file's dialect.
 */
import type * as Result from "effect/Result"
import type { Client } from "../doctor/Advice.ts"
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
 * - `transport`, `shown`: how it is reached, as the file says it: variables are not expanded, and secrets not shown
 */
export interface ServerEntry {
  readonly name: string
  readonly file: string
  readonly path: string
  /** Whose file it is. */
  readonly client: Client
  readonly transport: string
  readonly shown: string
  /** Whether the file wants it. */
  readonly isEnabled: boolean
  /** Absent for one that cannot be reached from here, which `findings` say why. */
  readonly target?: Target
  /** What the server must not repeat. */
  readonly secrets: ReadonlyArray<string>
  /** How long it may take to start, in seconds, by its file. */
  readonly timeout?: number
  readonly findings: ReadonlyArray<Finding>
}

/** Where a file's servers are read. */
export interface Place {
  readonly file: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/** A format of files. */
export interface Format {
  /** The content of a text, or one sentence on what is wrong, which repeats nothing of the text. */
  readonly parse: (text: string, file: string) => Promise<Result.Result<unknown, string>>
  /** The servers of a content, or what is wrong with the file as a whole. */
  readonly read: (content: unknown, place: Place) => Result.Result<ReadonlyArray<ServerEntry>, string>
}
