/**
 * One call of a tool, from its arguments to its result.
 *
 * @see seed, basic flow and error handling
 */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import * as CallNotices from "@zain/tool-server/CallNotices"
import type { ClientAttachment } from "@zain/tool-server/ClientAttachment"
import type { RequestContext } from "@zain/tool-server/Peer"
import { internalError, invalidParams, type ProtocolError } from "@zain/tool-server/ProtocolError"
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
import type { Asked, Tools } from "./JudgeTools.ts"
import * as StateWords from "./StateWords.ts"

/**
 * The evaluator, and the client of a call.
 *
 * - `share`: bounds the client's evaluations that run at once, so that one client cannot occupy the judge
 * - `room`: bounds the documents of all clients
 * - `silence`: the longest time between two progress notifications
 */
export interface Caller {
  readonly evaluator: Evaluator["Service"]
  readonly iterations: Iterations.Iterations
  readonly attachment: ClientAttachment<void>
  readonly share: Semaphore.Semaphore
  readonly room: Semaphore.Semaphore
  readonly silence: Duration.Duration
  readonly context: RequestContext
}

/** Runs a call. Fails with `ProtocolError`. Interruption cancels the evaluation. */
export const make = Effect.fnUntraced(function* (
  tools: Tools,
  { arguments: args, name }: ToolServer.CallParams,
  caller: Caller,
): Effect.fn.Return<CallToolResult, ProtocolError> {
  const asked = yield* Effect.mapError(Effect.fromResult(tools.read(name, args)), invalidParams)
  const notices = yield* CallNotices.make(caller.context, caller.silence)
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

/** Runs the evaluation through every state of the machine, counts it and logs its end. */
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

/** The iteration of `get_improvement_suggestions`, which is not counted. */
const uncounted: Iterations.Iteration = { number: 1, end: () => {} }

/** Logs a state that a machine has entered. */
export const logState = (state: LoopState.LoopState): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logDebug("entered a state"), { state })

type Ended = Exit.Exit<EvaluationResponse, LoopSmithError>

const became = (exit: Ended) => (Exit.isFailure(exit) ? "nothing" : exit.value.pass ? "passed" : "below")

/** Logs the end of an evaluation, without the document. `pass` is logged for counted evaluations, which have a target. */
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

/** -32602 for a request that cannot be served; -32603 with machine-readable `data` for any other failure. */
const refusal = ({ attempts, details, message, reason, retryable }: LoopSmithError): ProtocolError =>
  reason === "invalid-request" ? invalidParams(message) : internalError(message, { details, retryable, attempts })
