/**
 * An agent's process that exchanges JSON objects, one per line.
 */
import { clip } from "@zain/core/McpError"
import * as Environment from "@zain/process/Environment"
import type { HostGuard } from "@zain/process/HostGuard"
import * as JsonLines from "@zain/process/JsonLines"
import * as OwnedProcess from "@zain/process/OwnedProcess"
import * as Redactor from "@zain/process/Redactor"
import * as StderrTail from "@zain/process/StderrTail"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AgentCommand } from "./AgentCommand.ts"
import { AgentError } from "./AgentError.ts"
import type { AheadProcess } from "./AheadProcess.ts"

/** A message of an agent. */
export type AgentMessage = JsonLines.JsonObject

/** A connection to an agent's process. `ended` of its listener receives a reason for people, with the last stderr output. */
export type AgentChannel = JsonLines.JsonLines

/** Limit of a line, in bytes. A line may hold a whole file. */
const maxLine = 64 * 1024 * 1024

/** A process to start. */
export interface Target extends OwnedProcess.ProcessCommand {
  /** Limit of a line that it writes, in bytes. */
  readonly maxMessageBytes: number
}

/** The process of an agent. Messages contain no variable of its environment whose name is that of a key or a token. */
export const target = (command: AgentCommand, args: ReadonlyArray<string>, cwd?: string): Target => ({
  command: command.command,
  args: [...command.args, ...args],
  ...(cwd === undefined ? {} : { cwd }),
  ...Environment.make(command.env, ["*"]),
  ...(command.ownTemporary === undefined ? {} : { ownTemporary: command.ownTemporary }),
  closeGrace: Duration.seconds(2),
  maxMessageBytes: maxLine,
})

/** Removes the secrets of an agent's environment from a text. */
export const redactor = (command: AgentCommand): Redactor.Redactor => Redactor.make(target(command, []).secrets)

/**
 * Starts the process. Its whole process group ends with the Scope.
 *
 * @param start starts it; by default `OwnedProcess.start`
 * @returns the channel, or `AgentError` with reason `start-failed`
 */
export const open = (
  target: Target,
  start: AheadProcess = OwnedProcess.start,
): Effect.Effect<AgentChannel, AgentError, Scope.Scope | HostGuard> =>
  start(target).pipe(
    Effect.map((process) => overPipes(process, target)),
    Effect.mapError(({ message }) => new AgentError({ reason: "start-failed", message: clip(message) })),
  )

/**
 * Starts the program of a command by its `start`, if it has one.
 *
 * @param args arguments of the agent's protocol
 * @param cwd its working directory; by default this process's
 * @returns as `open`
 */
export const ofCommand = (
  command: AgentCommand,
  args: ReadonlyArray<string>,
  cwd?: string,
): Effect.Effect<AgentChannel, AgentError, Scope.Scope | HostGuard> => open(target(command, args, cwd), command.start)

const overPipes = (process: OwnedProcess.OwnedProcess, { command, maxMessageBytes }: Target): AgentChannel => {
  const lines = JsonLines.make(process, maxMessageBytes)
  return {
    ...lines,
    listen: ({ ended, message }) =>
      lines.listen({
        message,
        ended: (how) =>
          ended(
            `${command} ${how}. The next prompt starts it again.${StderrTail.lastWords(process.diagnostics().stderrTail)}`,
          ),
      }),
  }
}
