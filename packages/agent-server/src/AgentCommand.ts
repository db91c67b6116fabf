/**
 * The command that starts an agent's own program.
 */
import type * as Duration from "effect/Duration"
import type { AheadProcess } from "./AheadProcess.ts"

/** The program of an agent, its environment, and its limits. */
export interface AgentCommand {
  /** Path of the program. */
  readonly command: string
  /** Arguments before those of the agent's protocol. */
  readonly args: ReadonlyArray<string>
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>
  /** Whether each process gets its own temporary directory. Default: `true`. */
  readonly ownTemporary?: boolean
  /** How long the model may be unreachable before its turn ends. `Duration.infinity`: as long as the agent retries. */
  readonly modelTimeout: Duration.Duration
  /** How long the agent may take to answer a request up to the one that begins a turn, or to send its first message then. */
  readonly acceptTimeout: Duration.Duration
  /** Starts a process of the agent, in the place of `OwnedProcess.start`: `AheadProcess` has one that has started before. */
  readonly start?: AheadProcess
}
