/**
 * An agent's process, as objects in and objects out: one JSON object a line each way.
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

/** What an agent says. */
export type AgentMessage = JsonLines.JsonObject

/** An agent that is read and written. `ended` of its listener receives whole sentences, with the agent's last words. */
export type AgentChannel = JsonLines.JsonLines

/** The longest line, in bytes: a whole file may stand in one. */
const maxLine = 64 * 1024 * 1024

/** A process to start, and the longest line that it may write. */
export interface Target extends OwnedProcess.ProcessCommand {
  readonly maxMessageBytes: number
}

/** What to start for an agent. Whatever its environment calls a key or a token shows in no message. */
export const target = (command: AgentCommand, args: ReadonlyArray<string>, cwd?: string): Target => ({
  command: command.command,
  args: [...command.args, ...args],
  ...(cwd === undefined ? {} : { cwd }),
  ...Environment.make(command.env, ["*"]),
  ...(command.ownTemporary === undefined ? {} : { ownTemporary: command.ownTemporary }),
  closeGrace: Duration.seconds(2),
  maxMessageBytes: maxLine,
})

/** Takes the secrets of an agent's environment out of a text. */
export const redactor = (command: AgentCommand): Redactor.Redactor => Redactor.make(target(command, []).secrets)

/**
 * Starts the process. It ends with the Scope, and its whole process group with it.
 *
 * @returns the channel, or `AgentError` with reason `start-failed`
 */
export const open = (target: Target): Effect.Effect<AgentChannel, AgentError, Scope.Scope | HostGuard> =>
  OwnedProcess.start(target).pipe(
    Effect.map((process) => overPipes(process, target)),
    Effect.mapError(({ message }) => new AgentError({ reason: "start-failed", message: clip(message) })),
  )

const overPipes = (process: OwnedProcess.OwnedProcess, { command, maxMessageBytes }: Target): AgentChannel => {
  const lines = JsonLines.make(process, maxMessageBytes)
  return {
    ...lines,
    listen: ({ ended, message }) =>
      lines.listen({
        message,
        ended: (how) => ended(`${command} ${how}.${StderrTail.lastWords(process.diagnostics().stderrTail)}`),
      }),
  }
}
