/**
 * How an agent is asked for answers alone: it gets an empty directory, no tools, and nothing that its user added to it, so
 * that a document cannot make it act.
 */
import type * as McpClient from "@zain/core/McpClient"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"

/**
 * - `program`: the path of the agent's program
 * - `env`: variables that reach it beside the usual ones
 * - `host`: the environment of this process
 * - `cwd`: an empty directory
 * - `model`: the name of its model; its own configuration's by default
 * - `maxMessageBytes`: the longest message of it, in bytes
 */
export interface AnswerOnlyOptions {
  readonly program: string
  readonly env: Readonly<Record<string, string>>
  readonly host: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly model?: string
  readonly maxMessageBytes?: number
}

/** `client`: the agent's. `config`: opens sessions in which the agent can only answer. */
export interface AnswerOnly {
  readonly client: McpClient.McpClient
  readonly config: McpConnectionConfig
}

/** What both agents' transport factories take of the options. */
export const local = ({ env, maxMessageBytes, program }: AnswerOnlyOptions) => ({
  command: program,
  env,
  ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }),
})
