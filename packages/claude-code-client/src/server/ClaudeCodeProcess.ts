/**
 * A process of Claude Code for one thread.
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

/** A process of one thread. */
export interface ClaudeCodeProcess {
  /** Succeeds after the handshake. Fails with `start-failed`, `agent-exited` or `unknown-thread`. */
  readonly ready: Effect.Effect<void, AgentError>
  /**
   * Runs one turn; call it only after the previous one is over. An interrupt ends the agent's work and waits for its end.
   */
  readonly turn: (prompt: string, listener: TurnListener) => Effect.Effect<TurnResult, AgentError>
  /** Whether another turn is possible. */
  readonly isUsable: () => boolean
  /**
   * Whether the process has sent nothing since the last turn began, except that an earlier prompt is completed. It sends a
   * message before it acts.
   */
  readonly isSilent: () => boolean
}

/** Options of a process. */
export interface ProcessOptions {
  /** Directory that it works in. */
  readonly cwd: string
  /** Its arguments, before those of the handshake. */
  readonly args: ReadonlyArray<string>
  /** See `ClaudeCodeTurn.TurnPlace`. */
  readonly hasCommands: boolean
  /** The handshake before the first turn. */
  readonly handshake: ClaudeCodeHandshake.Handshake
  /** Time limit of the agent to end an interrupted turn. */
  readonly interruptLimit: Duration.Duration
  /** Called once, when Claude Code has stored the thread. */
  readonly kept: () => void
  /** Receives the last stderr output of a process that ended during the handshake. */
  readonly failed: (reason: string) => void
}

/** Time limit of the handshake. The user's hooks run before it, for up to a minute. */
const handshakeLimit = Duration.minutes(2)

/** Starts a process. It ends with the Scope, with all its children. Fails with `start-failed`. */
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
    // When a background command ends, Claude Code starts a turn of its own, maybe while a prompt is being sent. Versions that
    // do not report the prompts of a turn report which prompt they have started.
    let isUnasked = false
    let tellsPrompts = false
    let begun: string | undefined
    const isFor = (message: AgentChannel.AgentMessage, promptId: string | undefined) =>
      tellsPrompts
        ? textsOf(message, "user_message_uuids").includes(promptId ?? "")
        : promptId !== undefined && promptId === (begun ?? promptId)

    /** The completion of a prompt may be reported after its result, when the next prompt is being sent. */
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
          ? ClaudeCodeTurn.declined(requestId, request, "No client is connected that could approve this.")
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
          // A running turn of Claude Code may accept a prompt.
          isUnasked = !isFor(message, audience?.promptId)
        }
        if (isInitialized && (type === "assistant" || type === "result")) keep()
        const heard = isUnasked ? undefined : audience
        if (type === "result") isUnasked = false
        // Messages after the result do not belong to the turn.
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
    message: `${program} did not answer within ${Duration.format(handshakeLimit)}. Check that it is a current Claude Code.`,
  })
