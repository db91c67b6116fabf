/**
 * Evaluate, rewrite, and again, until the document is good enough or gets no better.
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

/** How many evaluations a loop makes unless it is told otherwise. */
export const defaultMaxIterations = 5

/** A gain under this is a small one. */
export const smallGain = 0.5

/** After so many small gains in a row, there is no more to gain. */
export const smallGains = 3

/**
 * - `content`: the document to begin with
 * - `rubric`: how much each criterion counts, as `Rubric.make` reads it
 * - `target`: the score that is good enough; 8 by default
 * - `maxIterations`: how many evaluations there are at most; 5 by default
 */
export interface ImprovementRequest {
  readonly content: string
  readonly rubric?: RubricInput
  readonly target?: number
  readonly maxIterations?: number
}

/**
 * The loop, as it goes on: events come when they happen. Cancelling the stream interrupts the turn under way. The loop
 * does not run ahead of its reader: no agent is asked before the event that says so was taken. A reader that is far
 * behind misses some `StateChanged`, and nothing else.
 *
 * It ends when the score is at least the target, when three gains in a row were under 0.5, or when there were as many
 * evaluations as are allowed. Each rewriting begins from the latest document; the result is the best one.
 *
 * @param request the document, and when it is good enough
 * @returns what happens, `Finished` last. Fails with `LoopSmithError` when the judge or the writer does, or when the
 *   request cannot be served; `LoopProgress` makes of the events before it what there was until then
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
  Stream.callback<Told, LoopSmithError, Evaluator | Writer>(
    (queue) => Effect.andThen(loop(request, handOver(queue)), Queue.end(queue)),
    { bufferSize: mostUnread, strategy: "suspend" },
  ).pipe(Stream.mapEffect(({ event, taken }) => Effect.as(taken, event)))

/** How many events may wait for a reader: more than an evaluation has, with ten attempts. */
const mostUnread = 128

/** `taken`: what to do when the reader takes the event. */
interface Told {
  readonly event: LoopEvent
  readonly taken: Effect.Effect<unknown>
}

/** A change of state waits for nobody, for an attempt has only so much time. After anything else the loop waits. */
const handOver =
  (queue: Queue.Enqueue<Told, LoopSmithError | Cause.Done>) =>
  (event: LoopEvent): Effect.Effect<unknown> =>
    event._tag === "StateChanged"
      ? Effect.sync(() => Queue.offerUnsafe(queue, { event, taken: Effect.void }))
      : Effect.gen(function* () {
          const taken = yield* Deferred.make<void>()
          yield* Queue.offer(queue, { event, taken: Deferred.succeed(taken, undefined) })
          yield* Deferred.await(taken)
        })

/**
 * The loop, for whoever only wants to know what comes of it.
 *
 * @param request the document, and when it is good enough
 * @returns the best document and all evaluations. Fails as `improve` does
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
    return yield* refused("There must be one iteration or more.")
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

/** Why the loop ends here, if it does. */
const stopOf = (iterations: ReadonlyArray<Iteration>, target: number, most: number): LoopStop | undefined => {
  const score = iterations.at(-1)?.evaluation.score ?? 0
  if (score >= target) return "reached-target"
  const latest = iterations.slice(-smallGains)
  const isStuck = ({ gain }: Iteration) => gain !== undefined && gain < smallGain
  if (latest.length === smallGains && latest.every(isStuck)) return "no-more-gain"
  return iterations.length >= most ? "out-of-iterations" : undefined
}

const refused = (problem: string) =>
  new LoopSmithError({
    reason: "invalid-request",
    message: problem,
    details: problem,
    retryable: false,
    attempts: 0,
  })

/** A writer may be anybody's, and what it writes is judged next. */
const unusable = (problem: string) =>
  new LoopSmithError({
    reason: "bad-answer",
    message: `What the writer wrote cannot be evaluated. ${problem}`,
    details: problem,
    retryable: true,
    attempts: 1,
  })
