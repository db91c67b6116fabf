/**
 * The loop: evaluate, rewrite, repeat until the score reaches the target or stops rising.
 *
 * @see seed, the evaluation loop
 */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Evaluation from "./Evaluation.ts"
import { Evaluator, settled } from "./Evaluator.ts"
import type { Iteration, LoopEvent, LoopResult, LoopStop } from "./LoopEvent.ts"
import * as LoopProgress from "./LoopProgress.ts"
import { LoopSmithError } from "./LoopSmithError.ts"
import * as LoopState from "./LoopState.ts"
import type { RubricInput } from "./Rubric.ts"
import { Writer } from "./Writer.ts"

/** How many evaluations a loop makes at most, unless `maxIterations` is set. */
export const defaultMaxIterations = 5

/** A gain below this counts towards `no-more-gain`. */
export const smallGain = 0.5

/** The loop stops with `no-more-gain` after this number of gains below `smallGain` in a row. */
export const smallGains = 3

/**
 * The document to improve, the weights of the criteria, and the conditions under which the loop stops. Only `content`
 * is required.
 */
export interface ImprovementRequest {
  /** The document of the first evaluation: 1 to 1,000,000 characters, without NUL and lone surrogates. */
  readonly content: string
  /** Weights of criteria in any proportion, completed by `Rubric.make`. Default: `Rubric.defaults`. */
  readonly rubric?: RubricInput
  /** The score at which the loop stops, from 0 to 10. Default: 8. */
  readonly target?: number
  /** The maximum number of evaluations, a whole number from 1. Default: 5. */
  readonly maxIterations?: number
}

/**
 * Runs the loop as a stream of events. Interrupting the stream cancels the turn under way. The loop does not run ahead of
 * its reader: no agent starts before the reader has taken the event that announces it. A reader that is more than 128
 * events behind misses some `StateChanged`, and no other event.
 *
 * The loop stops when the score is at least the target, when three gains in a row were below 0.5, or after `maxIterations`
 * evaluations. Each rewriting starts from the latest document; the result is the best one.
 *
 * @param request the document, the weights of the criteria, and when to stop; only `content` is required
 * @returns the events, `Finished` last. Fails with `LoopSmithError`: `invalid-request` before any agent starts, or the
 *   failure of the judge or the writer; `LoopProgress` folds the events until then into a result
 *
 * @example
 * ```ts
 * import { ImprovementLoop } from "@zain/loopsmith"
 * import * as Console from "effect/Console"
 * import * as Stream from "effect/Stream"
 *
 * const program = ImprovementLoop.improve({ content: "# Guide\n" }).pipe(
 *   Stream.runForEach((event) => Console.log(event._tag)),
 * )
 * ```
 */
export const improve = (request: ImprovementRequest): Stream.Stream<LoopEvent, LoopSmithError, Evaluator | Writer> =>
  Stream.callback<Offered, LoopSmithError, Evaluator | Writer>(
    (queue) => Effect.andThen(loop(request, handOver(queue)), Queue.end(queue)),
    { bufferSize: maxUnread, strategy: "suspend" },
  ).pipe(Stream.mapEffect(({ event, taken }) => Effect.as(taken, event)))

/** How many events may wait for a reader: more than an evaluation with ten attempts emits. */
const maxUnread = 128

/** `taken`: runs when the reader takes the event. */
interface Offered {
  readonly event: LoopEvent
  readonly taken: Effect.Effect<unknown>
}

/** `StateChanged` does not wait for the reader, because an attempt's time is limited. Every other event does. */
const handOver =
  (queue: Queue.Enqueue<Offered, LoopSmithError | Cause.Done>) =>
  (event: LoopEvent): Effect.Effect<unknown> =>
    event._tag === "StateChanged"
      ? Effect.sync(() => Queue.offerUnsafe(queue, { event, taken: Effect.void }))
      : Effect.gen(function* () {
          const taken = yield* Deferred.make<void>()
          yield* Queue.offer(queue, { event, taken: Deferred.succeed(taken, undefined) })
          yield* Deferred.await(taken)
        })

/**
 * Runs the loop and returns its result, without events.
 *
 * @param request the document, the weights of the criteria, and when to stop; only `content` is required
 * @returns the best document and all evaluations. Fails with the same errors as `improve`
 *
 * @example
 * ```ts
 * import { ImprovementLoop } from "@zain/loopsmith"
 * import * as Effect from "effect/Effect"
 *
 * const better = ImprovementLoop.run({ content: "# Guide\n" }).pipe(Effect.map(({ content }) => content))
 * ```
 */
export const run = (request: ImprovementRequest): Effect.Effect<LoopResult, LoopSmithError, Evaluator | Writer> =>
  loop(request, () => Effect.void)

const loop = Effect.fn("ImprovementLoop.improve")(function* (
  request: ImprovementRequest,
  tell: (event: LoopEvent) => Effect.Effect<unknown>,
) {
  const { maxIterations = defaultMaxIterations } = request
  const given = Evaluation.request(request)
  if (Result.isFailure(given)) return yield* refused(given.failure)
  if (!Number.isInteger(maxIterations) || maxIterations < 1)
    return yield* refused("`maxIterations` must be a whole number from 1.")
  const { content, rubric, target } = given.success

  const evaluator = settled(yield* Evaluator)
  const writer = yield* Writer
  let progress = LoopProgress.begin(content)
  const say = (event: LoopEvent) => {
    progress = LoopProgress.advance(progress, event)
    return tell(event)
  }
  const observe = yield* LoopState.track((state, note) =>
    Effect.asVoid(tell({ _tag: "StateChanged", state, ...(note === undefined ? {} : { note }) })),
  )
  const move = (...events: ReadonlyArray<LoopState.LoopStateEvent>) =>
    Effect.forEach(events, (event) => observe(event), { discard: true })

  const evaluate = Effect.fnUntraced(function* (iteration: number) {
    yield* say({ _tag: "IterationStarted", iteration })
    yield* move("called", "evaluationAsked")
    const evaluation = yield* evaluator
      .evaluate({ content: progress.content, rubric, target, iteration }, observe)
      .pipe(Effect.tapError(() => move("errorAnswered")))
    yield* say({ _tag: "Evaluated", ...LoopProgress.evaluated(progress, evaluation) })
    yield* evaluation.score >= target
      ? move("targetReached", "sessionEnded")
      : move("belowTarget", "suggested", "continued")
    return evaluation
  })

  yield* move("connected", "initialized")
  for (let iteration = 1; ; iteration += 1) {
    const evaluation = yield* evaluate(iteration)
    const stop = stopOf(progress.iterations, target, maxIterations)
    const result = stop === undefined ? undefined : LoopProgress.result(progress, stop)
    if (result !== undefined) {
      yield* say({ _tag: "Finished", result })
      return result
    }
    yield* say({ _tag: "RewriteStarted", iteration })
    const [took, better] = yield* Effect.timed(writer.rewrite({ content: progress.content, evaluation, target }))
    const problem = Evaluation.documentProblem(better)
    if (problem !== undefined) return yield* unusable(problem)
    yield* say({ _tag: "Rewritten", iteration, content: better, took: Math.round(Duration.toMillis(took)) })
  }
})

/** The reason to stop after these iterations; `undefined` to go on. */
const stopOf = (iterations: ReadonlyArray<Iteration>, target: number, max: number): LoopStop | undefined => {
  const score = iterations.at(-1)?.evaluation.score ?? 0
  if (score >= target) return "reached-target"
  const latest = iterations.slice(-smallGains)
  const isStuck = ({ gain }: Iteration) => gain !== undefined && gain < smallGain
  if (latest.length === smallGains && latest.every(isStuck)) return "no-more-gain"
  return iterations.length >= max ? "out-of-iterations" : undefined
}

const refused = (problem: string) =>
  new LoopSmithError({
    reason: "invalid-request",
    message: problem,
    details: problem,
    retryable: false,
    attempts: 0,
  })

/** A `Writer` other than `AgentWriter` may return a text that cannot be evaluated. */
const unusable = (problem: string) =>
  new LoopSmithError({
    reason: "bad-answer",
    message: `The writer's document cannot be evaluated. ${problem}`,
    details: problem,
    retryable: true,
    attempts: 1,
  })
