/**
 * Runs one turn of a Codex thread.
 */

import { AgentError, delivered, refused } from "@zain/agent-server/AgentError"
import * as ClientTools from "@zain/agent-server/ClientTools"
import * as HandedServers from "@zain/agent-server/HandedServers"
import { type JsonObject, recordOf, recordsOf, textOf } from "@zain/agent-server/JsonMember"
import * as ModelTimeout from "@zain/agent-server/ModelTimeout"
import type { TurnListener, TurnRequest, TurnResult } from "@zain/agent-server/ServedAgent"
import * as TurnPace from "@zain/agent-server/TurnPace"
import * as ImageData from "@zain/core/ImageData"
import type { BackgroundWork } from "@zain/core/McpBackground"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Steer } from "./CodexApproval.ts"
import * as CodexEvents from "./CodexEvents.ts"
import type { CodexOutputSchema } from "./CodexOutputSchema.ts"
import * as CodexProcesses from "./CodexProcesses.ts"
import * as CodexQuestions from "./CodexQuestions.ts"
import { type CodexServer, interruptAgain, interruptTimeout, type Route } from "./CodexServer.ts"
import type { CodexSettings } from "./CodexSettings.ts"
import * as CodexSteers from "./CodexSteers.ts"
import * as CodexTurnReader from "./CodexTurnReader.ts"
import * as CodexWork from "./CodexWork.ts"

/** A turn. */
export interface Options {
  readonly server: CodexServer
  /** Settings of the thread. */
  readonly settings: CodexSettings
  readonly threadId: string
  readonly prompt: string
  /** Images before the prompt. */
  readonly images?: TurnRequest["images"] | undefined
  /** The schema of the answer. */
  readonly output?: CodexOutputSchema | undefined
  /** Id of the prompt in the thread, which outlives the Codex process. */
  readonly promptId: string
  readonly listener: TurnListener
  /** See `AgentCommand`. */
  readonly modelTimeout: Duration.Duration
}

/** Time limit of Codex to start the next turn for a goal. */
const goalTimeout = Duration.seconds(5)

/** Time limit of Codex to start the first turn of a sub-agent. */
const beginTimeout = Duration.seconds(30)

/**
 * Runs a turn, until the agent has answered and all of its work has ended. With `background: "keep"`, the work that goes on is
 * the `rest` of the result. No other turn of the thread may be running. An error has a `delivery` when Codex ended before it
 * accepted the prompt.
 */
export const run = (options: Options): Effect.Effect<TurnResult, AgentError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const stop = yield* Deferred.make<TurnResult, AgentError>()
      const answer = yield* Deferred.make<TurnResult, AgentError>()
      // Detached, because an interrupted turn must come to its end.
      const fiber = yield* Effect.forkDetach(
        Effect.onExit(Effect.scoped(work(options, stop, answer)), (exit) => Deferred.done(answer, exit)),
      )
      const end = Effect.asVoid(Effect.andThen(Deferred.interrupt(stop), Fiber.await(fiber)))
      const done = restore(Fiber.await(fiber)).pipe(
        Effect.onInterrupt(() => end),
        Effect.asVoid,
      )
      const result = yield* restore(Deferred.await(answer)).pipe(Effect.onInterrupt(() => end))
      return result.rest === undefined ? result : { ...result, rest: { ...result.rest, done } }
    }),
  )

const work = Effect.fnUntraced(function* (
  { images = [], listener, modelTimeout, output, prompt, promptId, server, settings, threadId }: Options,
  stop: Deferred.Deferred<TurnResult, AgentError>,
  answer: Deferred.Deferred<TurnResult, AgentError>,
): Effect.fn.Return<TurnResult, AgentError, Scope.Scope> {
  const begun = yield* Deferred.make<void>()
  const lost = yield* Deferred.make<never, AgentError>()
  const changed = yield* Latch.make(true)
  const gone = yield* Deferred.make<void>()
  const fork = yield* FiberSet.makeRuntime<never>()
  const isStopping = () => Deferred.isDoneUnsafe(stop)
  const outOfReach = modelTimeoutOf(fork, modelTimeout, stop)
  const pace = TurnPace.make(listener, outOfReach, (isHeld) => server.hold(route, isHeld))
  const ended: Array<BackgroundWork> = []
  const killed: Array<CodexProcesses.Command> = []
  let turnId = ""
  let isKept = false
  const kept = () => {
    if (!isKept) listener.started()
    isKept = true
  }

  const reader = CodexTurnReader.make(threadId, {
    event: (event) => {
      listener.event(
        event._tag === "ServerFailed" ? HandedServers.failed(settings.servers, event.name, event.message) : event,
      )
      pace.emitted()
    },
    kept,
    begun: () => Deferred.doneUnsafe(begun, Effect.void),
    changed: () => changed.openUnsafe(),
    idle: (of) => void fork(later(of)),
    twice: (id) => questions.twice(id),
    ...outOfReach,
  })
  const when = (isSo: (work: CodexWork.CodexWork) => boolean) => until(changed, () => isSo(reader.work()))
  /** Ends what a thread without a running turn has left running, after its time. */
  const later = Effect.fnUntraced(function* (of: string) {
    const { hasGoal } = reader.work()
    const age = CodexWork.ageOf(reader.work(), of)
    if (CodexWork.doubtful(reader.work(), of).length > 0) yield* Effect.exit(terminals(server, reader, of))
    const isLeft = () => CodexWork.ageOf(reader.work(), of) === age
    if (of === threadId && hasGoal) {
      yield* Effect.sleep(goalTimeout)
      if (isLeft()) reader.withoutGoal()
    }
    if (settings.grace === undefined) return
    yield* Effect.sleep(settings.grace)
    if (!isLeft()) return
    const commands = CodexWork.commandsOf(reader.work(), of)
    ended.push(...commands.map(CodexWork.commandWork))
    const ids = commands.map(({ id }) => id)
    killed.push(...commands)
    const end = Effect.exit(terminate(server, reader, of, (itemId) => ids.includes(itemId), killed)).pipe(
      Effect.andThen(CodexProcesses.end(commands)),
      Effect.andThen(Effect.sync(reader.look)),
    )
    const isEnded = when((work) => !CodexWork.commandsOf(work, of).some(({ id }) => ids.includes(id)))
    const within = Effect.timeoutOption(Effect.andThen(end, isEnded), interruptTimeout)
    if (Option.isNone(yield* within)) yield* server.giveUp
  })
  /** Expects sub-agents no longer that were named, and never began. */
  const unborn = Effect.gen(function* () {
    yield* when(CodexWork.isExpecting)
    const gone = CodexWork.awaited(reader.work())
    yield* Effect.sleep(beginTimeout)
    if (CodexWork.isExpecting(reader.work())) {
      reader.withoutAgents(gone.filter((id) => CodexWork.ageOf(reader.work(), id) === 0))
    }
  })
  fork(Effect.forever(unborn))
  const isLeft = when((work) => CodexWork.leftOf(work).length > 0)
  fork(
    Effect.forever(isLeft.pipe(Effect.andThen(Effect.sleep(interruptAgain)), Effect.andThen(Effect.sync(reader.look)))),
  )
  /**
   * Sends a steer. Before the response has reached the model, a steer makes the model's program continue without the response;
   * a later one only repeats the model's next request.
   */
  const explain = ({ itemId, params }: Steer) => {
    const steer = Effect.sync(() => server.post("turn/steer", params))
    const programs = () => CodexWork.programsOf(reader.work(), params["threadId"])
    const asking = programs().filter((id) => itemId === undefined || itemId === id)
    if (asking.length === 0) return Effect.runSync(steer)
    const answered = when(() => asking.some((id) => !programs().includes(id)))
    fork(answered.pipe(Effect.andThen(Effect.exit(caughtUp)), Effect.andThen(steer)))
  }
  const caughtUp = server.request("thread/loaded/list", {})
  const questions = CodexQuestions.make({
    listener,
    fork,
    isStopping,
    explain,
    caughtUp,
    halt: (content) => {
      Deferred.doneUnsafe(stop, Effect.succeed({ content, isError: true }))
    },
  })
  const steers = CodexSteers.make(server, threadId, () => {
    const [turn] = [...reader.work().turns].find(([, of]) => of === threadId) ?? []
    return isStopping() ? undefined : turn
  })
  yield* Effect.addFinalizer(() => Effect.sync(steers.end))
  /** Codex waits for the answer, whatever becomes of the turn. */
  const tool: Route["tool"] = (params, reply) => {
    if (isStopping()) return reply(tooLate)
    fork(
      Effect.suspend(() => listener.callTool(textOf(params, "tool") ?? "", params["arguments"] ?? {})).pipe(
        Effect.onInterrupt(() => Effect.sync(() => reply(tooLate))),
        Effect.map(reply),
      ),
    )
  }
  const route: Route = {
    notification: (method, params) => {
      reader.notification(method, params)
      steers.notification(method, params)
    },
    question: questions.question,
    tool,
    editsOf: reader.editsOf,
    hasCommand: (of, itemId) => CodexWork.commandsOf(reader.work(), of).some(({ id }) => id === itemId),
    end: Effect.andThen(Deferred.interrupt(stop), Deferred.await(gone)),
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => server.route(threadId, route)),
    (leave) => Effect.andThen(Effect.sync(leave), Deferred.succeed(gone, undefined)),
  )
  for (const event of HandedServers.absent(settings.servers)) listener.event(event)
  for (const params of server.failures(threadId)) reader.notification(CodexEvents.startup, params)
  if (settings.warning !== undefined) {
    listener.event({ _tag: "Raw", method: "warning", params: { threadId, message: settings.warning } })
  }
  const input = [
    ...images.map((image) => ({ type: "image", url: ImageData.url(image) })),
    { type: "text", text: prompt, text_elements: [] },
  ]
  const accepted = (result: JsonObject) => {
    turnId = textOf(recordOf(result, "turn"), "id") ?? ""
    reader.accepted(turnId)
    listener.stage("accepted")
    changed.openUnsafe()
  }
  const params = {
    ...settings.turn,
    ...{ threadId, input, clientUserMessageId: promptId },
    ...(output === undefined ? {} : { outputSchema: output.schema }),
  }
  const result = (): TurnResult => {
    const said = reader.result()
    const structured = said.isError ? undefined : output?.read(said.content)
    return structured === undefined ? said : { ...said, structured }
  }
  const sent = Effect.mapError(server.request("turn/start", params, accepted), (error) =>
    error.reason === "agent-exited" ? delivered(error, "unknown") : error,
  ).pipe(Effect.tap(() => (turnId === "" ? Effect.andThen(server.giveUp, Effect.fail(nameless)) : Effect.void)))
  fork(Effect.catch(Effect.andThen(sent, server.ended), (error) => Deferred.fail(lost, error)))

  const isCut = Effect.raceFirst(Effect.exit(Deferred.await(lost)), Effect.exit(Deferred.await(stop)))
  const phase = (isSo: (work: CodexWork.CodexWork) => boolean) =>
    Effect.raceFirst(
      isCut,
      when((work) => turnId !== "" && isSo(work)),
    )
  listener.steerable((text) =>
    Effect.andThen(
      phase(() => true),
      steers.send(text),
    ),
  )
  yield* phase(CodexWork.isAnswered)
  // A turn without any event was accepted too.
  if (turnId !== "" && !server.isOver()) kept()
  const isWorking = !CodexWork.isOver(reader.work())
  const pending = CodexWork.left(reader.work())
  const isFree = () => !isStopping() && !Deferred.isDoneUnsafe(lost)
  if (settings.isKept && isFree() && pending.length > 0) {
    reader.keep()
    yield* Deferred.succeed(answer, { ...result(), rest: { pending, done: Effect.void } })
  }
  if (isWorking) yield* phase(CodexWork.isOver)
  // Codex reports the end of a sub-agent to its parent's thread, too.
  if (isWorking && isFree()) yield* Effect.raceFirst(isCut, Effect.exit(caughtUp))
  pace.end()
  const dead = Effect.suspend(() => Effect.timeoutOption(CodexProcesses.end(killed), interruptTimeout))
  if (isFree()) yield* Effect.raceFirst(isCut, Effect.exit(dead))
  if (isFree()) return { ...result(), ...(ended.length === 0 ? {} : { ended }) }
  if (!isStopping()) {
    reader.lost()
    return yield* Deferred.await(lost)
  }
  const isAccepted = Effect.raceFirst(Deferred.await(begun), Effect.exit(Deferred.await(lost)))
  const end = Effect.andThen(isAccepted, endAll(server, reader, route, Effect.exit(caughtUp), changed, killed))
  const isEnded = Effect.raceFirst(end, Effect.exit(server.ended))
  if (Option.isNone(yield* Effect.timeoutOption(isEnded, interruptTimeout))) yield* server.giveUp
  yield* dead
  reader.lost()
  return yield* Deferred.await(stop)
})

const tooLate = ClientTools.refused("The turn has ended.")

/** A turn whose id is unknown can be neither followed nor interrupted. */
const nameless = refused("Codex accepted the prompt without returning the turn's id, and was ended.")

type Fork = (effect: Effect.Effect<unknown>) => Fiber.Fiber<unknown>

/** Ends a turn whose model is unreachable for too long. */
const modelTimeoutOf = (fork: Fork, limit: Duration.Duration, stop: Deferred.Deferred<TurnResult, AgentError>) =>
  ModelTimeout.make(limit, fork, (last) => {
    const what = `Codex could not reach its model for ${Duration.format(limit)}, and the turn was ended.`
    const message = `${what} ${ModelTimeout.advice("Codex")} Last error: ${last}`
    Deferred.doneUnsafe(stop, Effect.fail(new AgentError({ reason: "model-unreachable", message })))
  })

/** @param changed opens whenever `isSo` may have changed */
const until = Effect.fnUntraced(function* (changed: Latch.Latch, isSo: () => boolean) {
  while (!isSo()) {
    changed.closeUnsafe()
    yield* changed.await
  }
})

/** The running commands of a thread. Others are not expected to end. */
const terminals = Effect.fnUntraced(function* (
  server: CodexServer,
  { withoutCommands, work }: CodexTurnReader.CodexTurnReader,
  threadId: string,
): Effect.fn.Return<ReadonlyArray<JsonObject>, AgentError> {
  const doubtful = CodexWork.doubtful(work(), threadId)
  const answer = yield* server.request("thread/backgroundTerminals/list", { threadId })
  const running = recordsOf(answer, "data")
  const still = CodexWork.doubtful(work(), threadId)
  // Of a list in parts, only the first was read.
  if (textOf(answer, "nextCursor") === undefined) {
    withoutCommands(doubtful.filter((one) => still.includes(one) && !running.some(({ itemId }) => itemId === one.id)))
  }
  return running
})

/**
 * Ends commands of a thread, each with its process group.
 *
 * @param killed receives the commands, whose processes may live a little longer
 */
const terminate = Effect.fnUntraced(function* (
  server: CodexServer,
  reader: CodexTurnReader.CodexTurnReader,
  threadId: string,
  isMeant: (itemId: string) => boolean,
  killed: Array<CodexProcesses.Command>,
): Effect.fn.Return<number, AgentError> {
  const running = yield* terminals(server, reader, threadId)
  const meant = running.filter(({ itemId }) => typeof itemId === "string" && isMeant(itemId))
  for (const { itemId, processId } of meant) {
    killed.push({ id: itemId as string, threadId })
    yield* server.request("thread/backgroundTerminals/terminate", { threadId, processId })
  }
  return meant.length
})

/** How many attempts find nothing to end before named sub-agents count as never begun. */
const maxQuietAttempts = 4

/** Ends all work of a turn, but not that of other turns. Sub-agents and commands outlive an interrupt of their turn. */
const endAll = Effect.fnUntraced(function* (
  server: CodexServer,
  reader: CodexTurnReader.CodexTurnReader,
  route: Route,
  caughtUp: Effect.Effect<unknown>,
  changed: Latch.Latch,
  killed: Array<CodexProcesses.Command>,
): Effect.fn.Return<void> {
  const { look, work } = reader
  // An interrupt may end commands, too.
  killed.push(...CodexWork.commandsOf(work()))
  for (let quiet = 0; ; ) {
    yield* caughtUp
    for (const [turnId, threadId] of work().turns) {
      yield* Effect.exit(server.request("turn/interrupt", { threadId, turnId }))
    }
    let commands = 0
    for (const threadId of [work().threadId, ...work().agents.keys()]) {
      const others = server.turnsOf(threadId).filter((one) => one !== route)
      // A command that has just started may not have been reported.
      const isOwn = (itemId: string) => !others.some((one) => one.hasCommand(threadId, itemId))
      commands += yield* Effect.orElseSucceed(terminate(server, reader, threadId, isOwn, killed), () => 0)
    }
    yield* CodexProcesses.end(CodexWork.leftOf(work()))
    look()
    const { turns } = work()
    const isQuiet = commands === 0 && turns.size === 0 && CodexWork.commandsOf(work()).length === 0
    // A sub-agent that has just been named is about to begin, if it does.
    if (isQuiet && (CodexWork.awaited(work()).length === 0 || ++quiet > maxQuietAttempts)) return
    yield* Effect.timeoutOption(
      until(changed, () => work().turns !== turns || CodexWork.isOver(work())),
      interruptAgain,
    )
  }
})
