/**
 * A process of Claude Code for one thread.
 */

import * as AgentChannel from "@zain/agent-server/AgentChannel"
import type { AgentCommand } from "@zain/agent-server/AgentCommand"
import { AgentError, startFailed } from "@zain/agent-server/AgentError"
import type { Tools } from "@zain/agent-server/ClientTools"
import * as HandedServers from "@zain/agent-server/HandedServers"
import { type JsonObject, recordOf, textOf } from "@zain/agent-server/JsonMember"
import type { OutputRoot } from "@zain/agent-server/OutputRoot"
import type { TurnListener, TurnRequest, TurnResult } from "@zain/agent-server/ServedAgent"
import type { HostGuard } from "@zain/process/HostGuard"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ClaudeCodeStartOptions, ClaudeCodeTurnOptions } from "../ClaudeCodeOptions.ts"
import * as BackgroundTasks from "./BackgroundTasks.ts"
import * as ClaudeCodeHandshake from "./ClaudeCodeHandshake.ts"
import * as ClaudeCodeServers from "./ClaudeCodeServers.ts"
import * as ClaudeCodeTurn from "./ClaudeCodeTurn.ts"
import * as ControlRequests from "./ControlRequests.ts"
import * as LeftProcesses from "./LeftProcesses.ts"
import type { OwnToolServer } from "./OwnToolServer.ts"
import * as ProcessState from "./ProcessState.ts"
import { answer, refusal } from "./StreamJson.ts"
import * as TurnSettings from "./TurnSettings.ts"

/** What a process has from its start on, beside the options of its thread. */
export interface ProcessShape {
  /** The schema of its answers. */
  readonly output?: OutputRoot | undefined
  /** Its directory, in place of the thread's. */
  readonly cwd?: string | undefined
  /** After how many requests to the model a turn ends. */
  readonly maxTurns?: number | undefined
  /** The tools of the client's own. */
  readonly tools?: Tools | undefined
  /** All of it as text, to compare. */
  readonly text: string
}

/** A process of one thread. */
export interface ClaudeCodeProcess {
  /** See `ProcessOptions`. */
  readonly shape: ProcessShape
  /** Succeeds after the handshake. Fails with `start-failed`, `agent-exited` or `unknown-thread`. */
  readonly ready: Effect.Effect<void, AgentError>
  /**
   * Runs one turn; call it only after the previous one has its result. An interrupt ends the agent's work and waits for its
   * end.
   */
  readonly turn: (
    request: TurnRequest<ClaudeCodeTurnOptions>,
    listener: TurnListener,
  ) => Effect.Effect<TurnResult, AgentError>
  /** Whether another turn is possible. */
  readonly isUsable: () => boolean
  /** Whether it did not end what it had to, so that it must be killed. */
  readonly isDeaf: () => boolean
  /**
   * Whether the process has sent nothing since the last turn began, except that an earlier prompt is completed. It sends a
   * message before it acts.
   */
  readonly isSilent: () => boolean
}

/** Options of a process. */
export interface ProcessOptions {
  /** The thread. */
  readonly threadId: string
  /** Directory that it works in. */
  readonly cwd: string
  /** Its arguments, before those of the handshake. */
  readonly args: ReadonlyArray<string>
  /** The options of the thread. */
  readonly options: ClaudeCodeStartOptions
  /** See `ProcessShape`. */
  readonly shape: ProcessShape
  /** The server with the tools of the client's own, if it has any. */
  readonly toolServer: OwnToolServer | undefined
  /** The handshake before the first turn. */
  readonly handshake: ClaudeCodeHandshake.Handshake
  /** Time limit of the agent to end an interrupted turn. */
  readonly interruptTimeout: Duration.Duration
  /** Called once, when Claude Code has stored the thread. */
  readonly kept: () => void
  /** See `TurnSettings.SettingsPlace`. */
  readonly remember: TurnSettings.SettingsPlace["remember"]
  /** Receives the last stderr output of a process that ended during the handshake. */
  readonly failed: (reason: string) => void
}

/** Time limit of the handshake. The user's hooks run before it, for up to a minute. */
const handshakeTimeout = Duration.minutes(2)

/** Starts a process. It ends with the Scope, with all its children. Fails with `start-failed`. */
export const open = (
  command: AgentCommand,
  {
    args,
    cwd,
    failed,
    handshake,
    interruptTimeout,
    kept,
    options,
    remember,
    shape,
    threadId,
    toolServer,
  }: ProcessOptions,
): Effect.Effect<ClaudeCodeProcess, AgentError, Scope.Scope | HostGuard> =>
  Effect.map(AgentChannel.ofCommand(command, [...args, ...handshake.args], cwd), (channel) => {
    const { hold, send } = channel
    const turns = new Map<string, ClaudeCodeTurn.TurnAudience>()
    let state = ProcessState.start
    const move = (next: ProcessState.ProcessState) => {
      const isKeptNow = next.isKept && !state.isKept
      const isHeardNow = state.isSilent && !next.isSilent
      state = next
      // While the work of other turns goes on, a message may be about that.
      if (isHeardNow && turns.size === 1) for (const turn of turns.values()) turn.accepted()
      if (isKeptNow) kept()
    }
    const report = (finished: ProcessState.Step["finished"]) => {
      for (const task of finished) turns.get(task.turn ?? "")?.finished(task)
    }
    const changed = () => {
      for (const turn of [...turns.values()]) turn.changed()
    }

    const refuse = (message: AgentChannel.AgentMessage) => {
      const requestId = textOf(message, "request_id") ?? ""
      const request = recordOf(message, "request")
      const about = toolServer?.callOf(request)
      if (about !== undefined) return send(answer(requestId, ClaudeCodeTurn.uncalled(about)))
      const isQuestion = request["subtype"] === "can_use_tool"
      send(
        isQuestion
          ? ClaudeCodeTurn.declined(requestId, request, "No client is connected that could approve this.")
          : refusal(requestId, ClaudeCodeTurn.unsupported),
      )
    }

    const control = ControlRequests.make(send)
    const greeting = ClaudeCodeHandshake.begin(handshake, control)
    const gone = Deferred.makeUnsafe<never, AgentError>()
    const thenLost = (message: AgentChannel.AgentMessage) => {
      const lost = ClaudeCodeTurn.lostThread(message)
      if (lost !== undefined) greeting.fail(lost)
    }

    channel.listen({
      message: (message) => {
        const type = message["type"]
        if (type === "control_response") {
          const isGreeting = !greeting.isDone()
          // An answer to a request that is not about the turn is no sign that its prompt was accepted.
          if (!control.hear(message) || isGreeting) move({ ...state, isSilent: false })
          return
        }
        // Claude Code connects to the server at any time, which is no sign of a turn.
        const server = type === "control_request" ? toolServer : undefined
        const isOfTool = server?.callOf(recordOf(message, "request")) !== undefined
        const connecting = isOfTool ? undefined : server?.respond(recordOf(message, "request"))
        if (connecting !== undefined) return send(answer(textOf(message, "request_id") ?? "", connecting))
        const { dropped, finished, state: next, steered, turn } = ProcessState.hear(state, message)
        move(next)
        if (steered !== undefined) for (const one of turns.values()) one.steered(steered.id, steered.how)
        const its = turn === "all" ? [...turns.values()] : [turns.get(turn ?? "")].filter((one) => one !== undefined)
        // A sub-agent may call a tool between the turns, and its request does not name it.
        const heard = isOfTool && its.length === 0 ? [...turns.values()].slice(-1) : its
        if (dropped !== undefined) for (const one of heard) one.dropped(reasons[dropped])
        else if (type !== "command_lifecycle") for (const one of heard) one.message(message)
        if (turn !== "all" && !next.isSilent) for (const one of heard) one.accepted()
        turns.get(next.begun ?? "")?.accepted()
        if (heard.length === 0 && type === "control_request") refuse(message)
        if (heard.length === 0 && type === "result") thenLost(message)
        report(finished)
        changed()
      },
      ended: (reason) => {
        if (!greeting.isDone()) failed(reason)
        const error = new AgentError({ reason: "agent-exited", message: reason })
        greeting.fail(error)
        Deferred.doneUnsafe(gone, Effect.fail(error))
        const { finished, state: next } = ProcessState.ended(state, reason)
        move(next)
        report(finished)
        for (const turn of [...turns.values()]) turn.ended(reason)
      },
    })
    greeting.ask()

    const ready = greeting.done.pipe(
      Effect.timeoutOrElse({ duration: handshakeTimeout, orElse: () => Effect.fail(mute(command.command)) }),
      Effect.tapError(() => Effect.sync(() => move(ProcessState.end(state, "Deaf")))),
    )
    const ask: TurnSettings.SettingsPlace["ask"] = (request) =>
      Effect.raceFirst(
        Effect.callback<JsonObject>((resume) =>
          Effect.sync(control.ask(request, (response) => resume(Effect.succeed(response)))),
        ),
        Deferred.await(gone),
      )
    /** Requests whose answers are read also while a client is behind. */
    let waiting = 0
    let isBehind = false
    const pace = () => hold(isBehind && waiting === 0)
    const counted = (more: number) =>
      Effect.sync(() => {
        waiting += more
        pace()
      })
    const asking: TurnSettings.SettingsPlace["ask"] = (request) =>
      Effect.acquireUseRelease(
        counted(1),
        () => ask(request),
        () => counted(-1),
      )
    let areServersReady = false
    /** Waits for the servers that must start, or whose tools are limited. */
    const servers = Effect.suspend(() =>
      areServersReady
        ? Effect.void
        : Effect.tap(ClaudeCodeServers.start(options.mcpServers, ask), () =>
            Effect.sync(() => {
              areServersReady = true
            }),
          ),
    ).pipe(Effect.tapError(() => Effect.sync(() => move(ProcessState.end(state, "Deaf")))))
    const place: ClaudeCodeTurn.TurnPlace = {
      ask,
      servers: ClaudeCodeServers.make(options.mcpServers, ask),
      steps: new Map(),
      approvals: () => ({ cwd, mayBeSandboxed: greeting.mayBeSandboxed() }),
      hasCommands: options.promptCommands === true,
      toolServer,
      output: shape.output,
      background: options,
      modelTimeout: command.modelTimeout,
      acceptTimeout: command.acceptTimeout,
      interruptTimeout,
      send,
      hold: (is) => {
        isBehind = is
        pace()
      },
      place: (turn) => {
        turns.set(turn.promptId, turn)
        move(ProcessState.ask(state, turn.promptId))
        if (state.activity._tag === "Ended") turn.ended(state.activity.reason)
      },
      release: (turn) => {
        turns.delete(turn)
        move(ProcessState.release(state, turn))
      },
      steer: (turn, id) => move(ProcessState.steer(state, id, turn)),
      phase: (turn) => ProcessState.phaseOf(state, turn),
      isActive: (turn) => ProcessState.isActive(state, turn),
      isElsewhere: (turn) => ProcessState.isElsewhere(state, turn),
      commands: () => state.tasks.lines.size,
      running: (turn) => BackgroundTasks.ofTurn(state.tasks, turn),
      look: (turn) => {
        if (turn === undefined && !BackgroundTasks.hasLeft(state.tasks)) return
        const { finished, tasks } = BackgroundTasks.look(state.tasks, LeftProcesses.of(threadId), turn)
        move({ ...state, tasks })
        report(finished)
      },
      isLeft: (turn) => BackgroundTasks.isLeft(state.tasks, turn),
      giveUpReport: (turn) => {
        move(ProcessState.spoken(state, turn))
        changed()
      },
      // The work of other turns goes on in a process that may hold leftovers of one.
      end: (how) => {
        if (how === "Deaf" || turns.size <= 1) move(ProcessState.end(state, how))
      },
    }
    const settings = (): TurnSettings.SettingsPlace => {
      const held = greeting.settings()
      return {
        options,
        remember,
        ask: asking,
        // The session's model may have been set after the answer that names one.
        held: { model: options.model ?? held.model, mode: options.permissionMode ?? held.mode },
        isUsable: () => ProcessState.isUsable(state),
        giveUp: Effect.sync(() => move(ProcessState.end(state, "Deaf"))),
      }
    }
    const run = (
      { options: once, ...request }: TurnRequest<ClaudeCodeTurnOptions>,
      listener: TurnListener,
    ): Effect.Effect<TurnResult, AgentError> => {
      const turn = ClaudeCodeTurn.run(place, request, listener)
      return once === undefined ? turn : Effect.suspend(() => TurnSettings.use(settings(), once, turn))
    }
    return {
      shape,
      ready: Effect.andThen(ready, servers),
      turn: (request, listener) =>
        Effect.andThen(Effect.andThen(ready, servers), () => {
          for (const event of HandedServers.absent(options.mcpServers)) listener.event(event)
          return run(request, listener)
        }),
      isUsable: () => ProcessState.isUsable(state),
      isDeaf: () => state.activity._tag === "Deaf",
      isSilent: () => state.isSilent,
    }
  })

const reasons = {
  interrupted: ClaudeCodeTurn.interrupted,
  unanswered: "Claude Code ended the turn without an answer to its prompt.",
}

const mute = (program: string) =>
  startFailed(
    `${program} did not answer within ${Duration.format(handshakeTimeout)}. Check that it is a current Claude Code.`,
  )
