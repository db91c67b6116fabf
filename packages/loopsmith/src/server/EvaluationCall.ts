/**
 * One call of a tool, from its arguments to its result.
 *
 * @see seed, basic flow and error handling
 */
import { type CallToolResult, ErrorCode } from "@modelcontextprotocol/sdk/types.js"
import * as CallNotices from "@zain/tool-server/CallNotices"
import type { ClientAttachment } from "@zain/tool-server/ClientAttachment"
import { invalidParams, ProtocolError } from "@zain/tool-server/ProtocolError"
import type * as ToolServer from "@zain/tool-server/ToolServer"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Semaphore from "effect/Semaphore"
import type { EvaluationResponse } from "../Evaluation.ts"
import type { EvaluationObserver, Evaluator } from "../Evaluator.ts"
import type { LoopSmithError } from "../LoopSmithError.ts"
import * as LoopState from "../LoopState.ts"
import * as ScoreText from "../ScoreText.ts"
import * as DocumentRoom from "./DocumentRoom.ts"
import type * as Iterations from "./Iterations.ts"
import * as StateWords from "./StateWords.ts"
import type { Asked, Tools } from "./Tools.ts"

/**
 * Who judges, and who calls.
 *
 * - `share`: how many of the client's documents are judged at once; the others wait, so that nobody keeps a judge to itself
 * - `room`: for the documents of all clients
 * - `silence`: the longest towards a client that wants to hear of its progress
 */
export interface Caller {
  readonly evaluator: Evaluator["Service"]
  readonly iterations: Iterations.Iterations
  readonly attachment: ClientAttachment<void>
  readonly share: Semaphore.Semaphore
  readonly room: Semaphore.Semaphore
  readonly silence: Duration.Duration
  readonly extra: ToolServer.CallExtra
}

/** A call as an effect: its result, or a refusal of the protocol. Interrupting it interrupts the evaluation. */
export const make = Effect.fnUntraced(function* (
  tools: Tools,
  { arguments: args, name }: ToolServer.CallParams,
  caller: Caller,
): Effect.fn.Return<CallToolResult, ProtocolError> {
  const asked = yield* Effect.mapError(Effect.fromResult(tools.read(name, args)), invalidParams)
  const notices = yield* CallNotices.make(caller.extra, caller.silence)
  let at: LoopState.LoopState = "Initialized"
  const tell = (state: LoopState.LoopState, note?: string) =>
    Effect.suspend(() => {
      at = state
      const words = StateWords.of(state, note)
      if (words !== undefined) notices.progress(words)
      return logState(state)
    })
  const happened = yield* LoopState.track(tell, at)
  const heartbeat = notices.beat(() => notices.progress(StateWords.still(at)))
  const judged = caller.attachment.use(() =>
    Effect.raceFirst(heartbeat, evaluate(caller, asked, happened)).pipe(
      Effect.map((response) => result(asked.answer(response))),
      Effect.mapError(refusal),
      Effect.ensuring(notices.end),
      Effect.annotateLogs({ tool: name }),
    ),
  )
  return yield* DocumentRoom.hold(caller.room, asked.request.content)(judged)
})

/** The evaluation, through every state of the machine; what became of it is counted and logged. */
const evaluate = Effect.fnUntraced(function* (
  { evaluator, iterations, share }: Caller,
  { counts, request }: Asked,
  happened: EvaluationObserver,
): Effect.fn.Return<EvaluationResponse, LoopSmithError> {
  const begun = yield* Clock.currentTimeMillis
  let attempts = 0
  const observe: EvaluationObserver = (event, note) => {
    if (event === "agentStarted") attempts++
    return happened(event, note)
  }
  yield* happened("called")
  yield* happened("evaluationAsked")
  const response = yield* Effect.acquireUseRelease(
    Effect.sync(counts ? iterations.begin : () => uncounted),
    ({ number }) => share.withPermits(1)(evaluator.evaluate({ ...request, iteration: number }, observe)),
    ({ end, number }, exit) =>
      Effect.gen(function* () {
        end(became(exit))
        const ms = (yield* Clock.currentTimeMillis) - begun
        yield* Effect.annotateLogs(log(exit, counts), { ms, attempts, ...(counts ? { iteration: number } : {}) })
      }),
  ).pipe(Effect.tapError(() => happened("errorAnswered")))
  const score = `score ${ScoreText.score(response.score)}`
  if (response.pass) {
    yield* happened("targetReached", counts ? `${score}: passed` : score)
    yield* happened("sessionEnded")
  } else {
    yield* happened("belowTarget", score)
    yield* happened("suggested")
    yield* happened("continued")
  }
  return response
})

/** Advice alone: it knows no target, and is the first of its document for all we know. */
const uncounted: Iterations.Iteration = { number: 1, end: () => {} }

/** Tells of a state that a machine has come to. */
export const logState = (state: LoopState.LoopState): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logDebug("came to a state"), { state })

type Ended = Exit.Exit<EvaluationResponse, LoopSmithError>

const became = (exit: Ended) => (Exit.isFailure(exit) ? "nothing" : exit.value.pass ? "passed" : "below")

/** Never the document; and whether it passed where there was a target. */
const log = (exit: Ended, counts: boolean): Effect.Effect<void> => {
  if (Exit.isSuccess(exit)) {
    const { metadata, pass, score } = exit.value
    return Effect.annotateLogs(Effect.logInfo("evaluated a document"), {
      score,
      ...(counts ? { pass } : {}),
      model: metadata.model_used,
    })
  }
  if (Cause.hasInterruptsOnly(exit.cause)) return Effect.logInfo("an evaluation was cancelled")
  const error = Cause.squash(exit.cause)
  return Effect.logError("a document could not be evaluated").pipe(
    Effect.annotateLogs({ cause: error instanceof Error ? error.message : String(error) }),
  )
}

const result = (answer: Readonly<Record<string, unknown>>): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(answer) }],
  structuredContent: { ...answer },
})

/** What cannot be asked is the client's mistake; anything else is ours, with what a program can read of it. */
const refusal = ({ attempts, details, message, reason, retryable }: LoopSmithError): ProtocolError =>
  reason === "invalid-request"
    ? invalidParams(message)
    : new ProtocolError({ code: ErrorCode.InternalError, message, data: { details, retryable, attempts } })
