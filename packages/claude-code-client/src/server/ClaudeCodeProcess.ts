/**
 * A process of Claude Code that holds one thread.
 */

import type { TurnListener, TurnResult } from "@zain/agent-server/Agent"
import * as AgentChannel from "@zain/agent-server/AgentChannel"
import type { AgentCommand } from "@zain/agent-server/AgentCommand"
import { AgentError } from "@zain/agent-server/AgentError"
import { recordOf, textOf, textsOf } from "@zain/agent-server/JsonMember"
import type { HostGuard } from "@zain/process/HostGuard"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as ClaudeCodeHandshake from "./ClaudeCodeHandshake.ts"
import * as ClaudeCodeTurn from "./ClaudeCodeTurn.ts"
import { refusal } from "./StreamJson.ts"

/**
 * - `ready`: it works as it was asked to. Fails with `start-failed`, `agent-exited` or `unknown-thread`
 * - `turn`: one turn; not before the one before it is over. Interrupting it ends the agent's work and waits for that
 * - `isUsable`: whether there can be another turn
 * - `isSilent`: whether it has said nothing since the last turn began, but that an earlier prompt is completed. It says
 *   something before it does anything
 */
export interface ClaudeCodeProcess {
  readonly ready: Effect.Effect<void, AgentError>
  readonly turn: (prompt: string, listener: TurnListener) => Effect.Effect<TurnResult, AgentError>
  readonly isUsable: () => boolean
  readonly isSilent: () => boolean
}

/**
 * - `cwd`, `args`: where, and with which arguments beside those of the handshake
 * - `hasCommands`: see `ClaudeCodeTurn.TurnPlace`
 * - `handshake`: what stands before the first turn
 * - `interruptLimit`: how long the agent may take to end a turn that is given up
 * - `kept`: hears, once, that Claude Code has the thread from now on
 * - `failed`: receives the last stderr output of a process that ended before the handshake was over
 */
export interface ProcessOptions {
  readonly cwd: string
  readonly args: ReadonlyArray<string>
  readonly hasCommands: boolean
  readonly handshake: ClaudeCodeHandshake.Handshake
  readonly interruptLimit: Duration.Duration
  readonly kept: () => void
  readonly failed: (reason: string) => void
}

/** How long the handshake may take. Hooks of the user's run before it, and they have a minute. */
const handshakeLimit = Duration.minutes(2)

/** Starts a process. It ends with the Scope, and all its children with it. Fails with `start-failed`. */
export const open = (
  command: AgentCommand,
  { args, cwd, failed, handshake, hasCommands, interruptLimit, kept }: ProcessOptions,
): Effect.Effect<ClaudeCodeProcess, AgentError, Scope.Scope | HostGuard> =>
  Effect.map(AgentChannel.open(AgentChannel.target(command, [...args, ...handshake.args], cwd)), (channel) => {
    const { hold, send } = channel
    let audience: ClaudeCodeTurn.TurnAudience | undefined
    let lastWords: string | undefined
    let isUsable = true
    let isInitialized = false
    let isKept = false
    let isSilent = true
    // A command in the background that ends makes Claude Code begin a turn that nobody asked for, maybe just when a
    // prompt is on its way. Where it does not say which prompt a turn is for, it says which one it has begun.
    let isUnasked = false
    let tellsPrompts = false
    let begun: string | undefined
    const isFor = (message: AgentChannel.AgentMessage, promptId: string | undefined) =>
      tellsPrompts
        ? textsOf(message, "user_message_uuids").includes(promptId ?? "")
        : promptId !== undefined && promptId === (begun ?? promptId)

    /** That a prompt is done with may be said after its result, when the next one is on its way. */
    const isOfEarlier = (message: AgentChannel.AgentMessage) =>
      message["type"] === "command_lifecycle" &&
      message["state"] === "completed" &&
      message["command_uuid"] !== audience?.promptId

    const refuse = (message: AgentChannel.AgentMessage) => {
      const requestId = textOf(message, "request_id") ?? ""
      const request = recordOf(message, "request")
      const isQuestion = request["subtype"] === "can_use_tool"
      send(
        isQuestion
          ? ClaudeCodeTurn.declined(requestId, request, "Nobody is there to approve this.")
          : refusal(requestId, ClaudeCodeTurn.unsupported),
      )
    }
    const keep = () => {
      if (!isKept) kept()
      isKept = true
    }

    const greeting = ClaudeCodeHandshake.begin(handshake, send)
    const thenLost = (message: AgentChannel.AgentMessage) => {
      const lost = ClaudeCodeTurn.lostThread(message)
      if (lost !== undefined) greeting.fail(lost)
    }

    channel.listen({
      message: (message) => {
        const type = message["type"]
        if (!isOfEarlier(message)) isSilent = false
        if (type === "control_response") return greeting.hear(message)
        if (type === "command_lifecycle") {
          if (message["state"] === "started") begun = textOf(message, "command_uuid")
          const isDropped = message["state"] === "cancelled" && message["command_uuid"] === audience?.promptId
          return isDropped ? audience?.dropped(ClaudeCodeTurn.interrupted) : undefined
        }
        if (message["subtype"] === "init") {
          isInitialized = true
          tellsPrompts = textsOf(message, "capabilities").includes("request_marker_lists_v1")
          isUnasked = !isFor(message, audience?.promptId)
        } else if (isUnasked && tellsPrompts) {
          // A prompt may be taken in by a turn that has begun without it.
          isUnasked = !isFor(message, audience?.promptId)
        }
        if (isInitialized && (type === "assistant" || type === "result")) keep()
        const heard = isUnasked ? undefined : audience
        if (type === "result") isUnasked = false
        // What comes right behind a turn's result is not the turn's.
        if (heard !== undefined && type === "result") audience = undefined
        if (type === "result" && heard !== undefined && !isFor(message, heard.promptId)) heard.dropped(unanswered)
        else if (heard !== undefined) heard.message(message)
        else if (type === "control_request") refuse(message)
        else if (type === "result") thenLost(message)
      },
      ended: (reason) => {
        isUsable = false
        lastWords = reason
        if (!greeting.isDone()) failed(reason)
        greeting.fail(new AgentError({ reason: "agent-exited", message: reason }))
        if (isSilent && reason.includes("is already in use")) keep()
        audience?.ended(reason)
      },
    })
    greeting.ask()

    const giveUp = () => {
      isUsable = false
    }
    const ready = greeting.done.pipe(
      Effect.timeoutOrElse({ duration: handshakeLimit, orElse: () => Effect.fail(mute(command.command)) }),
      Effect.tapError(() => Effect.sync(giveUp)),
    )
    const place: ClaudeCodeTurn.TurnPlace = {
      approvals: () => ({ cwd, mayBeSandboxed: greeting.mayBeSandboxed() }),
      hasCommands,
      modelTimeout: command.modelTimeout,
      interruptLimit,
      send,
      hold,
      place: (next) => {
        audience = next
        if (next !== undefined) isSilent = true
        if (lastWords !== undefined) next?.ended(lastWords)
      },
      giveUp,
    }
    return {
      ready,
      turn: (prompt, listener) => Effect.andThen(ready, ClaudeCodeTurn.run(place, prompt, listener)),
      isUsable: () => isUsable,
      isSilent: () => isSilent,
    }
  })

const unanswered = "Claude Code ended the turn without an answer to its prompt."

const mute = (program: string) =>
  new AgentError({
    reason: "start-failed",
    message: `${program} did not answer for ${Duration.format(handshakeLimit)}. Check that it is a current Claude Code.`,
  })
