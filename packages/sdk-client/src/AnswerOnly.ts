/**
 * Sessions in which an agent can only answer: an empty directory, no tools, and none of its user's extensions, so that text
 * in a document cannot make it act.
 */
import type * as McpClient from "@zain/core/McpClient"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"

/** The agent's program and the environment of an answer-only session. */
export interface AnswerOnlyOptions {
  /** The path of the agent's program, such as `/usr/local/bin/codex`. */
  readonly program: string
  /** Variables that are passed to the agent, in addition to the default ones. */
  readonly env: Readonly<Record<string, string>>
  /**
   * The environment of this process; Codex receives its usual variables from it when it lists the user's MCP servers
   * and skills.
   */
  readonly host: Readonly<Record<string, string | undefined>>
  /** The working directory of the agent; it must be empty. */
  readonly cwd: string
  /** The name of the model. By default the one in the agent's own configuration. */
  readonly model?: string
  /** The largest message that is read from the agent, in bytes. By default that of `McpConnectionConfig`. */
  readonly maxMessageBytes?: number
}

/** A client, and a configuration of sessions that can only answer: without tools, files and the user's extensions. */
export interface AnswerOnly {
  /** The client of the agent; sessions that it opens with another configuration may be unrestricted. */
  readonly client: McpClient.McpClient
  /** The configuration that restricts a session: pass it to `openSession`. */
  readonly config: McpConnectionConfig
}

/**
 * Returns the part of the options that the transport factories of both agents have in common.
 *
 * @param options the program, its environment and the limit of a message are used
 */
export const local = ({ env, maxMessageBytes, program }: AnswerOnlyOptions) => ({
  /** The path of the agent's program, such as `/usr/local/bin/codex`. */
  command: program,
  /** Variables that are passed to the agent, in addition to the default ones. */
  env,
  ...(maxMessageBytes === undefined
    ? {}
    : {
        /** The largest message that is read from the agent, in bytes. */
        maxMessageBytes,
      }),
})
