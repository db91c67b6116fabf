/**
 * How an agent's own program is started, the same for every agent.
 */
import type * as Duration from "effect/Duration"

/**
 * - `command`, `args`: the program, and arguments that stand before those of its protocol
 * - `env`: its whole environment
 * - `ownTemporary`: whether each process gets a temporary directory of its own. True by default
 * - `modelTimeout`: how long a model may be out of reach before its turn is ended; `Duration.infinity` for as
 *   long as the agent tries by itself
 */
export interface AgentCommand {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly ownTemporary?: boolean
  readonly modelTimeout: Duration.Duration
}
