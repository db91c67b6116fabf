/**
 * An agent's process, as objects in and objects out: one JSON object a line each way.
 */
import { nextTick } from "node:process"
import { clip } from "@zain/core/McpError"
import * as Environment from "@zain/process/Environment"
import * as FairReading from "@zain/process/FairReading"
import type { HostGuard } from "@zain/process/HostGuard"
import * as JsonBounds from "@zain/process/JsonBounds"
import * as LineFramer from "@zain/process/LineFramer"
import * as OwnedProcess from "@zain/process/OwnedProcess"
import * as Redactor from "@zain/process/Redactor"
import * as StderrTail from "@zain/process/StderrTail"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AgentCommand } from "./AgentCommand.ts"
import { AgentError } from "./AgentError.ts"
import type { JsonObject } from "./JsonMember.ts"
import * as JsonMember from "./JsonMember.ts"

/** What an agent says. */
export type AgentMessage = JsonObject

/**
 * - `message`: one object, in the order of the lines. A line that is none is passed over
 * - `ended`: nothing more will be said or heard. `reason` says how the process ended, with its last words, in whole
 *   sentences. Told once, after every message
 */
export interface ChannelListener {
  readonly message: (message: AgentMessage) => void
  readonly ended: (reason: string) => void
}

/**
 * - `send`: writes one object. Never throws; does nothing once the channel has ended
 * - `hold`: whether the agent is not listened to: before long it waits with what it has to say
 * - `listen`: who hears the agent. Called once, right after `open`: nothing is read before
 */
export interface AgentChannel {
  readonly send: (message: object) => void
  readonly hold: (isHeld: boolean) => void
  readonly listen: (listener: ChannelListener) => void
}

/** The longest line, in bytes: a whole file may stand in one. */
const maxLine = 64 * 1024 * 1024

/** What a line of more than 1 MiB may hold, before it is parsed: some eighty bytes are made of each value. */
const shape = { maxDepth: 1_000, maxElements: 1_000_000 }

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
export const open = (target: Target, guard: HostGuard): Effect.Effect<AgentChannel, AgentError, Scope.Scope> =>
  OwnedProcess.start(target, guard).pipe(
    Effect.map((process) => overPipes(process, target)),
    Effect.mapError(({ message }) => new AgentError({ reason: "start-failed", message: clip(message) })),
  )

/** How long a process that has closed a pipe may take to exit, and so to say more, in milliseconds. */
const exitLimit = 200

const overPipes = (process: OwnedProcess.OwnedProcess, { command, maxMessageBytes }: Target): AgentChannel => {
  const { stdout } = process
  let isOver = false
  let isHeld = false
  let isBusy = false
  let listener: ChannelListener | undefined

  const end = (what: string) => {
    if (isOver) return
    isOver = true
    listener?.ended(`${command} ${what}.${StderrTail.lastWords(process.diagnostics().stderrTail)}`)
  }
  const take = (line: string) => {
    if (isOver) return
    const message = parse(line)
    if (message === undefined) return
    try {
      listener?.message(message)
    } catch (cause) {
      end(`sent what could not be handled (${String(cause)})`)
    }
  }
  const flow = () => {
    if (isHeld || isBusy) stdout.pause()
    else stdout.resume()
  }
  const busy = (is: boolean) => () => {
    isBusy = is
    flow()
  }
  const lost = () => {
    const timer = setTimeout(() => end("closed its pipes"), exitLimit)
    process.onEnd(() => clearTimeout(timer))
  }

  return {
    send: (message) => {
      if (isOver || !process.stdin.writable) return
      if (process.stdin.writableLength > maxMessageBytes) return end("does not read its input")
      // What is said in one tick arrives in one piece: no agent goes on between two lines that belong together.
      process.stdin.cork()
      process.stdin.write(`${JSON.stringify(message)}\n`)
      nextTick(() => process.stdin.uncork())
    },
    hold: (is) => {
      isHeld = is
      flow()
    },
    listen: (heard) => {
      listener = heard
      const oversize = (excess?: JsonBounds.Excess) =>
        end(`sent a line ${JsonBounds.words(excess, shape, maxMessageBytes)}`)
      const framer = LineFramer.make(maxMessageBytes, { line: take, oversize }, { bounds: shape })
      stdout.on("data", FairReading.make({ pause: busy(true), resume: busy(false) }, framer))
      stdout.once("end", lost)
      process.stdin.once("close", lost)
      process.onEnd(({ exitCode, signal }) =>
        end(signal === null ? `exited with code ${exitCode}` : `was ended by ${signal}`),
      )
    },
  }
}

/** What does not begin as an object is not worth an exception. */
const parse = (line: string): AgentMessage | undefined =>
  line.trimStart().startsWith("{") ? JsonMember.parse(line) : undefined
