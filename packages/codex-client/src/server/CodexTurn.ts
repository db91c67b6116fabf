/**
 * Runs one turn of a Codex thread.
 */

import type { TurnListener, TurnResult } from "@zain/agent-server/Agent"
import { AgentError, delivered } from "@zain/agent-server/AgentError"
import { recordOf, recordsOf, textOf } from "@zain/agent-server/JsonMember"
import * as ModelTimeout from "@zain/agent-server/ModelTimeout"
import * as TurnPace from "@zain/agent-server/TurnPace"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Steer } from "./CodexApproval.ts"
import * as CodexQuestions from "./CodexQuestions.ts"
import type { CodexServer, Params, Route } from "./CodexServer.ts"
import type { CodexSettings } from "./CodexSettings.ts"
import * as CodexTurnReader from "./CodexTurnReader.ts"

/** A turn. */
export interface Options {
  readonly server: CodexServer
  /** Settings of the thread. */
  readonly settings: CodexSettings
  readonly threadId: string
  readonly prompt: string
  /** Id of the prompt in the thread, which outlives the Codex process. */
  readonly promptId: string
  readonly listener: TurnListener
  /** See `AgentCommand`. */
  readonly modelTimeout: Duration.Duration
  /** Ends a server that does not respond to an interrupt. */
  readonly giveUp: (server: CodexServer) => Effect.Effect<void>
}

/** Time limit of Codex to end an interrupted turn. */
const interruptLimit = Duration.seconds(5)

/** Time limit to end the commands and sub-agents that such a turn left running. */
const cleanUpLimit = Duration.seconds(1)

/**
 * Runs a turn. No other turn of the thread may be running. An error has a `delivery` when Codex ended before it accepted the
 * prompt.
 */
export const run = (options: Options): Effect.Effect<TurnResult, AgentError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const stop = yield* Deferred.make<TurnResult, AgentError>()
      // Detached, because an interrupted turn must come to its end.
      const fiber = yield* Effect.forkDetach(Effect.scoped(work(options, stop)))
      return yield* restore(Fiber.join(fiber)).pipe(
        Effect.onInterrupt(() => Effect.andThen(Deferred.interrupt(stop), Fiber.await(fiber))),
      )
    }),
  )

const work = Effect.fnUntraced(function* (
  { giveUp, listener, modelTimeout, prompt, promptId, server, settings, threadId }: Options,
  stop: Deferred.Deferred<TurnResult, AgentError>,
): Effect.fn.Return<TurnResult, AgentError, Scope.Scope> {
  const begun = yield* Deferred.make<void>()
  const ended = yield* Deferred.make<TurnResult, AgentError>()
  const finished = yield* Latch.make(true)
  const fork = yield* FiberSet.makeRuntime<never>()
  const isStopping = () => Deferred.isDoneUnsafe(stop)
  const outOfReach = modelTimeoutOf(fork, modelTimeout, stop)
  const pace = TurnPace.make(listener, outOfReach, (isHeld) => server.hold(threadId, isHeld))
  let turnId = ""
  let isHalted = false
  let isKept = false
  const kept = () => {
    if (!isKept) listener.started()
    isKept = true
  }

  const reader = CodexTurnReader.make({
    event: (event) => {
      listener.event(event)
      pace.emitted()
    },
    kept,
    begun: () => Deferred.doneUnsafe(begun, Effect.void),
    ended: (result) => Deferred.doneUnsafe(ended, Effect.succeed(result)),
    finished: () => finished.openUnsafe(),
    twice: (id) => questions.twice(id),
    ...outOfReach,
  })
  /**
   * Sends a steer. Before the response has reached the model, a steer makes the model's program continue without the response;
   * a later one only repeats the model's next request.
   */
  const explain = ({ itemId, params }: Steer) => {
    const steer = Effect.sync(() => server.post("turn/steer", params))
    const asking = [...reader.programs].flatMap(([id, thread]) =>
      thread === params["threadId"] && (itemId === undefined || itemId === id) ? [id] : [],
    )
    if (asking.length === 0) return Effect.runSync(steer)
    const answered = until(finished, () => asking.some((id) => !reader.programs.has(id)))
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
      isHalted = true
      Deferred.doneUnsafe(stop, Effect.succeed({ content, isError: true }))
    },
  })
  const route: Route = { notification: reader.notification, question: questions.question }
  yield* Effect.acquireRelease(
    Effect.sync(() => server.route(threadId, route, reader.editsOf)),
    (leave) => Effect.sync(leave),
  )
  if (settings.warning !== undefined) {
    listener.event({ _tag: "Raw", method: "warning", params: { threadId, message: settings.warning } })
  }
  const input = [{ type: "text", text: prompt, text_elements: [] }]
  const accepted = (result: Params) => {
    turnId = textOf(recordOf(result, "turn"), "id") ?? ""
    reader.named(turnId)
  }
  const sent = Effect.mapError(
    server.request("turn/start", { ...settings.turn, threadId, input, clientUserMessageId: promptId }, accepted),
    (error) => (error.reason === "agent-exited" ? delivered(error, "unknown") : error),
  )
  fork(Effect.catch(Effect.andThen(sent, server.ended), (error) => Deferred.fail(ended, error)))

  const over = Effect.exit(Deferred.await(ended))
  yield* Effect.raceFirst(over, Effect.exit(Deferred.await(stop)))
  pace.end()
  // A turn without any event was accepted too.
  if (turnId !== "" && !server.isOver()) kept()
  if (Deferred.isDoneUnsafe(ended) && !isHalted) {
    for (const itemId of reader.commands.keys()) server.kept.add(itemId)
    return yield* Deferred.await(ended)
  }
  const interrupted = interrupt(server, () => ({ threadId, turnId }), Deferred.await(begun), over)
  if (Option.isNone(yield* Effect.timeoutOption(interrupted, interruptLimit))) yield* giveUp(server)
  else yield* endRest(server, threadId, reader, finished)
  return yield* Deferred.await(stop)
})

type Fork = (effect: Effect.Effect<unknown>) => Fiber.Fiber<unknown>

/** Ends a turn whose model is unreachable for too long. */
const modelTimeoutOf = (fork: Fork, limit: Duration.Duration, stop: Deferred.Deferred<TurnResult, AgentError>) =>
  ModelTimeout.make(limit, fork, (last) => {
    const what = `Codex could not reach its model for ${Duration.format(limit)}, and the turn was ended.`
    const message = `${what} ${ModelTimeout.advice("Codex")} Last error: ${last}`
    Deferred.doneUnsafe(stop, Effect.fail(new AgentError({ reason: "model-unreachable", message })))
  })

/** Delay between two interrupts, in milliseconds. Codex refuses to interrupt a turn that is just starting. */
const again = 250

const interrupt = Effect.fnUntraced(function* (
  server: CodexServer,
  turn: () => Params,
  begun: Effect.Effect<void>,
  over: Effect.Effect<Exit.Exit<TurnResult, AgentError>>,
): Effect.fn.Return<void> {
  let end = yield* Effect.raceFirst(Effect.as(begun, Option.none()), Effect.map(over, Option.some))
  while (Option.isNone(end)) {
    yield* Effect.raceFirst(Effect.exit(server.request("turn/interrupt", turn())), over)
    end = yield* Effect.timeoutOption(over, again)
  }
})

/** @param finished opens whenever `isSo` may have changed */
const until = Effect.fnUntraced(function* (finished: Latch.Latch, isSo: () => boolean) {
  while (!isSo()) {
    finished.closeUnsafe()
    yield* finished.await
  }
})

/** Ends the sub-agents and commands that an interrupted turn left running, but not those of earlier turns. */
const endRest = (
  server: CodexServer,
  ownThread: string,
  { commands, subTurns }: CodexTurnReader.CodexTurnReader,
  finished: Latch.Latch,
): Effect.Effect<void> => {
  const end = Effect.gen(function* () {
    for (const [turnId, threadId] of subTurns) {
      yield* Effect.exit(server.request("turn/interrupt", { threadId, turnId }))
    }
    yield* until(finished, () => subTurns.size === 0)
    // A command that has just started may not have been reported.
    for (const threadId of new Set([ownThread, ...commands.values()])) {
      const terminals = recordsOf(yield* server.request("thread/backgroundTerminals/list", { threadId }), "data")
      for (const { itemId, processId } of terminals) {
        if (typeof itemId !== "string" || server.kept.has(itemId)) continue
        yield* server.request("thread/backgroundTerminals/terminate", { threadId, processId })
        yield* until(finished, () => !commands.has(itemId))
      }
    }
  })
  return Effect.asVoid(Effect.timeoutOption(Effect.exit(end), cleanUpLimit))
}
