/**
 * Runs one turn of a Claude Code thread.
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

/** Receives the agent's messages while the turn lasts. */
export interface TurnAudience {
  /** The agent's id of the prompt. */
  readonly promptId: string
  /** Receives a message. */
  readonly message: (message: AgentMessage) => void
  /** The prompt will have no answer, for this reason. */
  readonly dropped: (reason: string) => void
  /** The process has ended, for this reason. */
  readonly ended: (reason: string) => void
}

/** The process of a turn. */
export interface TurnPlace {
  /** Where approved actions run. */
  readonly approvals: () => ClaudeCodeApproval.ApprovalPlace
  /** Whether the agent acts on slash commands and `@file` in a prompt. */
  readonly hasCommands: boolean
  /** How long the model may be unreachable, from the first retry on. */
  readonly modelTimeout: Duration.Duration
  /** Time limit of the agent to end an interrupted turn. */
  readonly interruptLimit: Duration.Duration
  /** Sends a message to the agent. */
  readonly send: (message: object) => void
  /** See `AgentChannel`. */
  readonly hold: (isHeld: boolean) => void
  /** Sets the receiver of the agent's messages. */
  readonly place: (audience: TurnAudience | undefined) => void
  /** The agent did not end the turn, and cannot run another one. */
  readonly giveUp: () => void
}

/** Delay between two interrupts. An early one may be lost. */
const interruptAgain = Duration.seconds(1)

/** Prefix of the keys of fibers that wait for an approval. */
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
      // Before `outcome`, because its reader checks `over` immediately.
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
        pace.emitted()
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
      // Before the open requests are declined, because a declined agent continues with something else.
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

const decline = (reason: string): McpApprovalReply => ({ _tag: "Decline", reason })

/** The response to a request that is declined without the client. */
export const declined = (requestId: string, request: AgentMessage, reason: string): object =>
  answer(requestId, ClaudeCodeApproval.write(request, decline(reason)))

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
