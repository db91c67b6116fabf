/**
 * One turn of a thread, from the prompt to its result or to the proven end of it.
 */
import { randomUUID } from "node:crypto"
import type { TurnListener, TurnResult } from "@zain/agent-server/Agent"
import type { AgentMessage } from "@zain/agent-server/AgentChannel"
import { AgentError } from "@zain/agent-server/AgentError"
import { recordOf, textOf, textsOf } from "@zain/agent-server/JsonMember"
import * as ModelTimeout from "@zain/agent-server/ModelTimeout"
import * as TurnPace from "@zain/agent-server/TurnPace"
import type { McpApprovalReply } from "@zain/core/McpApproval"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as ClaudeCodeApproval from "./ClaudeCodeApproval.ts"
import { answer, interrupt, refusal, userMessage } from "./StreamJson.ts"
import * as TurnReader from "./TurnReader.ts"

/**
 * Receives what the agent says while the turn lasts.
 *
 * - `promptId`: what the agent calls the prompt
 * - `dropped`: there will be no answer to the prompt, and why
 */
export interface TurnAudience {
  readonly promptId: string
  readonly message: (message: AgentMessage) => void
  readonly dropped: (reason: string) => void
  readonly ended: (reason: string) => void
}

/**
 * - `approvals`: where what it asks for would be done
 * - `hasCommands`: whether a prompt's slash commands and `@file` are the agent's to act on
 * - `modelTimeout`: how long a model may be out of reach, from the first sign of it
 * - `interruptLimit`: how long the agent may take to end a turn that is given up
 * - `send`: tells the agent
 * - `hold`: see `AgentChannel`
 * - `place`: says who hears the agent from now on
 * - `giveUp`: the agent did not end the turn, and is of no more use
 */
export interface TurnPlace {
  readonly approvals: () => ClaudeCodeApproval.ApprovalPlace
  readonly hasCommands: boolean
  readonly modelTimeout: Duration.Duration
  readonly interruptLimit: Duration.Duration
  readonly send: (message: object) => void
  readonly hold: (isHeld: boolean) => void
  readonly place: (audience: TurnAudience | undefined) => void
  readonly giveUp: () => void
}

/** An interrupt that comes too early may be lost, so it is said again. */
const interruptAgain = Duration.seconds(1)

/** What the keys of fibers that wait for an approval start with. */
const question = "question "

/** Runs a turn. Fails with `agent-exited`, `model-unreachable` or `unknown-thread`. */
export const run = (where: TurnPlace, prompt: string, listener: TurnListener): Effect.Effect<TurnResult, AgentError> =>
  Effect.gen(function* () {
    const fibers = yield* FiberMap.make<string>()
    const fork = yield* FiberMap.runtime(fibers)<never>()
    const outcome = yield* Deferred.make<TurnResult, AgentError>()
    const over = yield* Deferred.make<void>()
    const read = TurnReader.make()
    const fail = (reason: AgentError["reason"], message: string) =>
      Deferred.doneUnsafe(outcome, Exit.fail(new AgentError({ reason, message })))
    const timeout = makeTimeout(where.modelTimeout, fork, (message) => fail("model-unreachable", message))
    const pace = TurnPace.make(listener, timeout, where.hold)
    let isStopping = false

    const ask = (requestId: string, request: AgentMessage) => {
      if (isStopping) return where.send(declined(requestId, request, interrupted))
      const refused = ClaudeCodeApproval.refusalOf(request)
      if (refused !== undefined) return where.send(declined(requestId, request, refused))
      fork(
        `${question}${requestId}`,
        Effect.suspend(() => listener.approve(ClaudeCodeApproval.read(request, where.approvals()))).pipe(
          Effect.catchCause((cause) => Effect.succeed(decline(reasonOf(cause)))),
          Effect.onInterrupt(() => Effect.sync(() => where.send(declined(requestId, request, interrupted)))),
          Effect.map((decision) => where.send(answer(requestId, ClaudeCodeApproval.write(request, decision)))),
        ),
      )
    }
    const end = (exit: Exit.Exit<TurnResult, AgentError>) => {
      // Who waits for the outcome may look at once whether the turn is over.
      Deferred.doneUnsafe(over, Exit.void)
      Deferred.doneUnsafe(outcome, exit)
    }
    const audience: TurnAudience = {
      promptId: randomUUID(),
      message: (message) => {
        const requestId = textOf(message, "request_id") ?? ""
        const request = recordOf(message, "request")
        switch (message["type"]) {
          case "control_request":
            if (request["subtype"] === "can_use_tool") return ask(requestId, request)
            return where.send(refusal(requestId, unsupported))
          case "control_cancel_request":
            return Option.getOrUndefined(FiberMap.getUnsafe(fibers, `${question}${requestId}`))?.interruptUnsafe()
        }
        if (message["subtype"] === "init") listener.started()
        timeout.hear(message)
        for (const event of read(message)) listener.event(event)
        pace.told()
        if (message["type"] !== "result") return
        const lost = lostThread(message)
        end(
          lost === undefined
            ? Exit.succeed(TurnReader.result(message, where.hasCommands || prompt.trim() === ""))
            : Exit.fail(lost),
        )
      },
      dropped: (content) => end(Exit.succeed({ content, isError: true })),
      ended: (reason) => {
        Deferred.doneUnsafe(over, Exit.void)
        fail("agent-exited", reason)
      },
    }
    const stop = Effect.gen(function* () {
      isStopping = true
      pace.end()
      // Before the open questions are answered: an agent that is only declined goes on with something else.
      where.send(interrupt(randomUUID()))
      yield* FiberMap.clear(fibers)
      const again = Effect.sync(() => where.send(interrupt(randomUUID())))
      const stopping = fork(
        "stop",
        Effect.raceFirst(
          Deferred.await(over),
          Effect.andThen(Effect.repeat(Effect.delay(again, interruptAgain), Schedule.forever), Effect.never),
        ).pipe(Effect.timeoutOption(where.interruptLimit)),
      )
      const ended = yield* Fiber.join(stopping)
      if (Option.isNone(ended)) where.giveUp()
    })

    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        where.place(audience)
        where.send(userMessage(prompt, audience.promptId, where.hasCommands))
        const exit = yield* Effect.exit(restore(Deferred.await(outcome)))
        if (!(yield* Deferred.isDone(over))) yield* stop
        pace.end()
        where.place(undefined)
        return yield* exit
      }),
    )
  }).pipe(Effect.scoped)

/** Why there is no thread, if that is what a `result` says. */
export const lostThread = (message: AgentMessage): AgentError | undefined => {
  const missing = textsOf(message, "errors").find((error) => error.startsWith("No conversation found"))
  if (missing === undefined) return undefined
  const what = `Claude Code does not know this thread any more: ${missing}`
  return new AgentError({ reason: "unknown-thread", message: what })
}

export const interrupted = "The turn was interrupted."

export const unsupported = "This host does not support that."

const decline = (reason: string): McpApprovalReply => ({ _tag: "Decline", reason })

/** What answers a question that nobody was asked. */
export const declined = (requestId: string, request: AgentMessage, reason: string): object =>
  answer(requestId, ClaudeCodeApproval.write(request, decline(reason)))

const reasonOf = (cause: Cause.Cause<never>): string =>
  Cause.hasInterruptsOnly(cause) ? interrupted : "The approval could not be decided."

type Fork = (key: string, effect: Effect.Effect<unknown>) => Fiber.Fiber<unknown, unknown>

/**
 * Waits for a model that is out of reach. Claude Code says when it is about to try again; what the model itself then
 * says ends the wait, also a piece of it. That an answer has begun does not: there may be nothing in it.
 *
 * @param lost hears that the wait was too long
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
