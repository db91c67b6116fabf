/**
 * Runs one turn of a Claude Code thread.
 */
import { randomUUID } from "node:crypto"
import * as AcceptTimeout from "@zain/agent-server/AcceptTimeout"
import type { AgentMessage } from "@zain/agent-server/AgentChannel"
import { AgentError } from "@zain/agent-server/AgentError"
import * as BackgroundOptions from "@zain/agent-server/BackgroundOptions"
import * as ClientTools from "@zain/agent-server/ClientTools"
import { recordOf, textOf, textsOf } from "@zain/agent-server/JsonMember"
import * as ModelTimeout from "@zain/agent-server/ModelTimeout"
import type { OutputRoot } from "@zain/agent-server/OutputRoot"
import type { TurnListener, TurnRequest, TurnResult } from "@zain/agent-server/ServedAgent"
import * as TurnPace from "@zain/agent-server/TurnPace"
import type { ToolAnswer } from "@zain/core/AgentConnection"
import { decline } from "@zain/core/McpApproval"
import type { BackgroundWork } from "@zain/core/McpBackground"
import type { McpEventContent } from "@zain/core/McpEvents"
import type { McpSteered } from "@zain/core/McpSteer"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import type { FinishedTask } from "./BackgroundTasks.ts"
import * as ClaudeCodeApproval from "./ClaudeCodeApproval.ts"
import type { ClaudeCodeServers } from "./ClaudeCodeServers.ts"
import * as CommandOutput from "./CommandOutput.ts"
import type { Steps } from "./MessageEvents.ts"
import * as OwnToolServer from "./OwnToolServer.ts"
import type { TurnPhase } from "./ProcessState.ts"
import { answer, cancelMessage, interrupt, refusal, steerMessage, stopTask, userMessage } from "./StreamJson.ts"
import * as TurnReader from "./TurnReader.ts"
import type { SettingsPlace } from "./TurnSettings.ts"

/** Receives the agent's messages of one turn, until its background work has ended. */
export interface TurnAudience {
  /** The agent's id of the prompt. */
  readonly promptId: string
  /** Receives a message. */
  readonly message: (message: AgentMessage) => void
  /** The agent has sent something since the prompt. */
  readonly accepted: () => void
  /** What became of a further text of the user's. */
  readonly steered: (id: string, how: McpSteered) => void
  /** The prompt will have no answer, for this reason. */
  readonly dropped: (reason: string) => void
  /** A piece of the turn's background work has ended. */
  readonly finished: (task: FinishedTask) => void
  /** The state of the process may have changed. Called after each message. */
  readonly changed: () => void
  /** The process has ended, for this reason. */
  readonly ended: (reason: string) => void
}

/** The process of a turn. */
export interface TurnPlace {
  /** Where approved actions run. */
  readonly approvals: () => ClaudeCodeApproval.ApprovalPlace
  /** Whether the agent acts on slash commands and `@file` in a prompt. */
  readonly hasCommands: boolean
  /** The server with the tools of the client's own, if it has any. */
  readonly toolServer: OwnToolServer.OwnToolServer | undefined
  /** The schema of the answer. */
  readonly output: OutputRoot | undefined
  /** The options of the thread about background work. */
  readonly background: BackgroundOptions.BackgroundOptions
  /** How long the model may be unreachable, from the first retry on. */
  readonly modelTimeout: Duration.Duration
  /** See `AgentCommand`. */
  readonly acceptTimeout: Duration.Duration
  /** Time limit of the agent to end an interrupted turn. */
  readonly interruptTimeout: Duration.Duration
  /** The MCP servers of the process. */
  readonly servers: ClaudeCodeServers
  /** The plan of the conversation so far. */
  readonly steps: Steps
  /** See `TurnSettings.SettingsPlace`. */
  readonly ask: SettingsPlace["ask"]
  /** Sends a message to the agent. */
  readonly send: (message: object) => void
  /** See `AgentChannel`. */
  readonly hold: (isHeld: boolean) => void
  /** Adds a receiver of the agent's messages. Its prompt is sent next. */
  readonly place: (turn: TurnAudience) => void
  /** Removes a receiver. */
  readonly release: (turn: string) => void
  /** A further text of the user's is sent next, in this turn. */
  readonly steer: (turn: string, id: string) => void
  /** See `ProcessState.phaseOf`. */
  readonly phase: (turn: string) => TurnPhase
  /** Whether the agent itself works on a turn, or its prompt waits. */
  readonly isActive: (turn: string) => boolean
  /** See `ProcessState.isElsewhere`. */
  readonly isElsewhere: (turn: string) => boolean
  /** How many commands run in the foreground, or wait for their approval. */
  readonly commands: () => number
  /** The background work of a turn. */
  readonly running: (turn: string) => ReadonlyArray<BackgroundWork>
  /** Looks for processes that commands left, and adds new ones to the work of a turn if it is given. */
  readonly look: (turn?: string) => void
  /** See `BackgroundTasks.isLeft`. */
  readonly isLeft: (turn: string) => boolean
  /** The agent does not work on that report. */
  readonly giveUpReport: (turn: string) => void
  /** The process must not run another turn. */
  readonly end: (how: "Spent" | "Deaf") => void
}

/** Delay between two interrupts. An early one may be lost. */
const interruptAgain = Duration.seconds(1)

/** How long the agent may take to begin its work on a report. It begins at once. */
const reportTimeout = Duration.seconds(5)

/** The first and the longest pause between two looks at processes that commands left, in milliseconds. */
const pauses = { first: 20, max: 1_000 }

/** Prefixes of the keys of fibers that wait for an approval, and for a tool of the client's own. */
const [question, tool] = ["question ", "tool "]

/** Runs a turn. Fails with `agent-exited`, `model-unreachable`, `stalled` or `unknown-thread`. */
export const run = (
  where: TurnPlace,
  request: TurnRequest,
  listener: TurnListener,
): Effect.Effect<TurnResult, AgentError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { finish, outcome, over, stop } = yield* Scope.provide(begin(where, request, listener), scope)
      const end = Effect.ensuring(stop, Effect.andThen(finish, Scope.close(scope, Exit.void)))
      const exit = yield* Effect.exit(restore(outcome))
      if (Exit.isSuccess(exit) && exit.value.rest !== undefined) {
        const done = Effect.uninterruptibleMask((restore) => Effect.ensuring(restore(over), end))
        return { ...exit.value, rest: { ...exit.value.rest, done } }
      }
      yield* end
      return yield* exit
    }),
  )

/**
 * Sends the prompt.
 *
 * - `outcome`: the result; `over`: the background work has ended too
 * - `stop`: ends what is not over, and waits for its end
 * - `finish`: receives no more messages
 */
const begin = Effect.fnUntraced(function* (where: TurnPlace, asked: TurnRequest, listener: TurnListener) {
  const fibers = yield* FiberMap.make<string>()
  const fork = yield* FiberMap.runtime(fibers)<never>()
  const outcome = yield* Deferred.make<TurnResult, AgentError>()
  const over = yield* Deferred.make<void>()
  const accepted = yield* Deferred.make<void>()
  const promptId = randomUUID()
  const keeps = where.background.background === "keep"
  const reader = TurnReader.make(where.output, where.steps)
  const fail = (reason: AgentError["reason"], message: string) =>
    Deferred.doneUnsafe(outcome, Exit.fail(new AgentError({ reason, message })))
  const timeout = makeTimeout(where.modelTimeout, fork, (message) => fail("model-unreachable", message))
  const pace = TurnPace.make(listener, timeout, where.hold)
  /** The commands whose output is asked for. */
  const followed = new Set<string>()
  /** The further texts of the user's that wait, and their senders. */
  const steers = new Map<string, (how: McpSteered) => void>()
  let isStarted = false
  let isStopping = false
  let hasRun = false
  let endsProcess = false
  let result: TurnResult | undefined
  let phase: TurnPhase | undefined
  let ended: ReadonlyArray<BackgroundWork> = []

  const ask = (requestId: string, request: AgentMessage) => {
    if (isStopping) return where.send(declined(requestId, request, interrupted))
    const refused = ClaudeCodeApproval.refusalOf(request) ?? where.servers.refusalOf(textOf(request, "tool_name") ?? "")
    if (refused !== undefined) return where.send(declined(requestId, request, refused))
    // The client decides when the tool is called.
    if (where.toolServer?.owns(textOf(request, "tool_name") ?? "")) {
      return where.send(answer(requestId, ClaudeCodeApproval.write(request, { _tag: "Approve" })))
    }
    fork(
      `${question}${requestId}`,
      Effect.suspend(() => listener.approve(ClaudeCodeApproval.read(request, where.approvals()))).pipe(
        Effect.catchCause((cause) => Effect.succeed(decline(reasonOf(cause)))),
        Effect.onInterrupt(() => Effect.sync(() => where.send(declined(requestId, request, interrupted)))),
        Effect.map((decision) => where.send(answer(requestId, ClaudeCodeApproval.write(request, decision)))),
      ),
    )
  }
  const use = (requestId: string, about: OwnToolServer.CallMessage) => {
    const key = `${tool}${String(about.id)}`
    if (about._tag === "Cancel") {
      withdraw(key)
      return where.send(answer(requestId, OwnToolServer.received))
    }
    const reply = (given: ToolAnswer) => where.send(answer(requestId, OwnToolServer.result(about, given)))
    if (isStopping) return reply(ClientTools.refused(interrupted))
    fork(
      key,
      Effect.suspend(() => listener.callTool(about.name, about.args)).pipe(
        Effect.onInterrupt(() => Effect.sync(() => reply(ClientTools.refused(interrupted)))),
        Effect.map(reply),
      ),
    )
  }
  const withdraw = (key: string) => Option.getOrUndefined(FiberMap.getUnsafe(fibers, key))?.interruptUnsafe()
  const stopTasks = (tasks: ReadonlyArray<BackgroundWork>) => {
    for (const { workId } of tasks) where.send(stopTask(randomUUID(), workId))
  }
  /** An interrupt ends all sub-agents; the end of one that is stopped by its id would start a turn. */
  const halt = () => {
    const running = where.running(promptId)
    const isAlone = !where.isElsewhere(promptId)
    const hasAgents = running.some(({ kind }) => kind === "sub-agent")
    if (where.isActive(promptId) || (hasAgents && isAlone)) where.send(interrupt(randomUUID()))
    stopTasks(isAlone ? running.filter(({ kind }) => kind === "command") : running)
  }
  const steer = (text: string) =>
    Effect.callback<McpSteered>((resume) => {
      if (isStopping || Deferred.isDoneUnsafe(outcome) || Deferred.isDoneUnsafe(over)) return resume(queued)
      const id = randomUUID()
      steers.set(id, (how) => resume(Effect.succeed(how)))
      where.steer(promptId, id)
      where.send(steerMessage(text, id, where.hasCommands))
      return Effect.sync(() => {
        if (steers.delete(id)) where.send(cancelMessage(randomUUID(), id))
      })
    })
  const settle = (id: string, how: McpSteered) => {
    const resume = steers.get(id)
    steers.delete(id)
    resume?.(how)
  }
  const close = () => {
    // Before `outcome`, because its reader stops what is not over.
    Deferred.doneUnsafe(over, Exit.void)
    if (ended.length > 0) where.end("Spent")
    if (result === undefined) return
    Deferred.doneUnsafe(outcome, Exit.succeed(ended.length === 0 ? result : { ...result, ended }))
  }
  const giveUp = () => {
    where.end("Deaf")
    close()
  }
  /** Reports the end of processes that commands left, of which no message tells. */
  const watch = Effect.gen(function* () {
    for (let pause = pauses.first; hasRun; pause = Math.min(2 * pause, pauses.max)) {
      yield* Effect.sleep(pause)
      where.look()
      changed()
    }
    yield* Effect.never
  })
  /** What happens when a phase lasts too long. */
  const limits: { readonly [phase in TurnPhase]?: () => Effect.Effect<void> } = {
    due: () =>
      Effect.delay(
        Effect.sync(() => where.giveUpReport(promptId)),
        reportTimeout,
      ),
    commands: () =>
      keeps || isStopping
        ? watch
        : Effect.gen(function* () {
            yield* Effect.timeoutOption(watch, BackgroundOptions.graceOf(where.background))
            where.look(promptId)
            const running = where.running(promptId)
            const known = new Set(ended.map(({ workId }) => workId))
            ended = [...ended, ...running.filter(({ workId }) => !known.has(workId))]
            if (where.isLeft(promptId)) return close()
            stopTasks(running)
            yield* Effect.sleep(where.interruptTimeout)
            giveUp()
          }),
  }
  const changed = () => {
    hasRun ||= where.commands() > 0
    if (result === undefined && !isStopping) return
    const mayLeave = hasRun && !Deferred.isDoneUnsafe(outcome) && !isStopping && ended.length === 0
    if (mayLeave && where.phase(promptId) !== phase) where.look(promptId)
    const reached = where.phase(promptId)
    const isLast = reached === "commands" && (isStopping || ended.length > 0) && where.isLeft(promptId)
    const next = isLast ? "settled" : reached
    if (next === phase) return
    phase = next
    withdraw("phase")
    listener.stage(next === "commands" ? "background" : "accepted")
    if (next === "settled" || (next === "due" && endsProcess)) return close()
    const running = where.running(promptId)
    if (result !== undefined && keeps && running.length > 0) {
      Deferred.doneUnsafe(outcome, Exit.succeed({ ...result, rest: { pending: running, done: Deferred.await(over) } }))
    }
    const limit = limits[next]
    if (limit !== undefined) fork("phase", limit())
  }
  const turn: TurnAudience = {
    promptId,
    message: (message) => {
      const requestId = textOf(message, "request_id") ?? ""
      const request = recordOf(message, "request")
      switch (message["type"]) {
        case "control_request": {
          if (ClaudeCodeApproval.isOne(request)) return ask(requestId, request)
          const about = where.toolServer?.callOf(request)
          if (about !== undefined) return use(requestId, about)
          return where.send(refusal(requestId, unsupported))
        }
        case "control_cancel_request":
          return withdraw(`${question}${requestId}`)
      }
      if (message["subtype"] === "init" && !isStarted) {
        isStarted = true
        listener.started()
        // An earlier one would precede the prompt.
        listener.steerable(steer)
      }
      if (message["subtype"] === "init") {
        const tell = Effect.map(where.servers.failed(message), (events) => events.forEach(listener.event))
        fork("servers", Effect.ignore(tell))
      }
      const command = CommandOutput.begun(message)
      if (command !== undefined && !followed.has(command.taskId)) {
        followed.add(command.taskId)
        const parent = reader.parentOf(message)
        const emit = (event: McpEventContent) => {
          listener.event(parent === undefined ? event : { ...event, parent })
          pace.emitted()
        }
        fork(`output ${command.taskId}`, CommandOutput.follow(command, where.ask, emit))
      }
      const task = CommandOutput.ended(message)
      if (task !== undefined) withdraw(`output ${task}`)
      timeout.hear(message)
      for (const event of reader.read(message)) listener.event(event)
      pace.emitted()
      if (message["type"] !== "result") return
      const lost = lostThread(message)
      if (lost !== undefined) fail(lost.reason, lost.message)
      // A later turn of the agent reports background work.
      const needsNoModel = where.hasCommands || asked.prompt.trim() === "" || result !== undefined
      result = reader.result(message, needsNoModel)
      if (message["subtype"] === TurnReader.unfit) where.end("Spent")
    },
    accepted: () => {
      if (Deferred.doneUnsafe(accepted, Exit.void)) listener.stage("accepted")
    },
    steered: settle,
    dropped: (content) => {
      result = { content, isError: true }
    },
    finished: ({ isError, work }) => {
      if (keeps && Deferred.isDoneUnsafe(outcome)) listener.event({ _tag: "BackgroundFinished", ...work, isError })
    },
    changed,
    ended: (reason) => {
      Deferred.doneUnsafe(over, Exit.void)
      fail("agent-exited", reason)
    },
  }
  const stop = Effect.gen(function* () {
    if (yield* Deferred.isDone(over)) return
    isStopping = true
    pace.end()
    const open = [...fibers].filter(([key]) => key.startsWith(question)).length
    if (hasRun) where.look(promptId)
    // Then the process ends with the turn.
    endsProcess = where.commands() > open || where.running(promptId).some(({ kind }) => kind === "command")
    // Before the open requests are declined, because a declined agent continues with something else.
    halt()
    yield* FiberMap.clear(fibers)
    phase = undefined
    changed()
    const again = Effect.repeat(Effect.delay(Effect.sync(halt), interruptAgain), Schedule.forever)
    const stopping = Effect.raceFirst(Deferred.await(over), Effect.andThen(again, Effect.never))
    const settled = yield* Fiber.join(fork("stop", Effect.timeoutOption(stopping, where.interruptTimeout)))
    if (Option.isNone(settled)) where.end("Deaf")
    // The agent reports the end of a command before all its processes have ended.
    else if (endsProcess) where.end("Spent")
  })
  where.place(turn)
  listener.stage("due")
  where.send(userMessage(asked, promptId, where.hasCommands))
  const within = AcceptTimeout.within("Claude Code did not accept the prompt", where.acceptTimeout, "unknown")
  const stalled = (error: AgentError) =>
    Effect.sync(() => {
      where.end("Deaf")
      Deferred.doneUnsafe(over, Exit.void)
      Deferred.doneUnsafe(outcome, Exit.fail(error))
    })
  fork("accept", Effect.catch(within(Deferred.await(accepted)), stalled))
  return {
    outcome: Deferred.await(outcome),
    over: Deferred.await(over),
    stop,
    finish: Effect.sync(() => {
      pace.end()
      for (const id of steers.keys()) settle(id, "queued")
      where.release(promptId)
    }),
  }
})

const queued = Effect.succeed<McpSteered>("queued")

/** The error of a `result` for an unknown thread, if it is one. */
export const lostThread = (message: AgentMessage): AgentError | undefined => {
  const missing = textsOf(message, "errors").find((error) => error.startsWith("No conversation found"))
  if (missing === undefined) return undefined
  const what = `Claude Code no longer has this thread: ${missing}`
  return new AgentError({ reason: "unknown-thread", message: what })
}

/** The result of an interrupted turn, and the reason of its declines. */
export const interrupted = "The turn was interrupted."

/** The response to an unknown control request. */
export const unsupported = "This host does not support that."

/** The response to a request that is declined without the client. */
export const declined = (requestId: string, request: AgentMessage, reason: string): object =>
  answer(requestId, ClaudeCodeApproval.write(request, decline(reason)))

/** The response to a message about a call of a tool that no turn can make. */
export const uncalled = (about: OwnToolServer.CallMessage): object =>
  about._tag === "Cancel"
    ? OwnToolServer.received
    : OwnToolServer.result(about, ClientTools.refused("No client is connected that could call this."))

const reasonOf = (cause: Cause.Cause<never>): string =>
  Cause.hasInterruptsOnly(cause) ? interrupted : "The approval could not be decided."

type Fork = (key: string, effect: Effect.Effect<unknown>) => Fiber.Fiber<unknown, unknown>

/**
 * Times out an unreachable model. Claude Code reports each retry; text of the model ends the wait, but not the start of an
 * answer, which may be empty.
 *
 * @param lost receives the message when the limit is reached
 */
const makeTimeout = (limit: Duration.Duration, fork: Fork, lost: (message: string) => void) => {
  const what = `The model could not be reached for ${Duration.format(limit)}, and the turn was ended.`
  const timeout = ModelTimeout.make(
    limit,
    (effect) => fork("timeout", effect),
    (last) => lost(`${what} ${ModelTimeout.advice("Claude Code")} ${last}`),
  )
  return {
    rest: timeout.rest,
    hear: (message: AgentMessage) => {
      if (message["subtype"] === "api_retry") timeout.trouble(troubleOf(message))
      else if (message["type"] === "assistant" || message["type"] === "result" || isPiece(message)) timeout.relief()
    },
  }
}

const isPiece = (message: AgentMessage): boolean => recordOf(message, "event")["type"] === "content_block_delta"

const troubleOf = (message: AgentMessage): string => {
  const status = message["error_status"]
  const what = textOf(message, "error") ?? "unknown"
  const attempt = typeof message["attempt"] === "number" ? ` at attempt ${message["attempt"]}` : ""
  return `The last error${attempt}: ${what}${typeof status === "number" ? ` (HTTP status ${status})` : ""}.`
}
