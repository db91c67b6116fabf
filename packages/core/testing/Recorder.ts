/** A tracer that keeps its spans, with its own registry of metrics. */
import { inspect } from "node:util"
import { Context, Effect, Metric, Option, Tracer } from "effect"

/** A metric's state for one set of attributes. */
export interface Measured {
  readonly name: string
  readonly type: string
  readonly attributes: Readonly<Record<string, string>>
  readonly state: Readonly<Record<string, unknown>>
}

/**
 * - `spans`: every span, in the order of their starts
 * - `metrics`: the current metrics
 * - `watch`: runs an effect with the tracer and the registry
 */
export const make = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const registry: Metric.MetricRegistry = new Map()
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    },
  })
  const context = Context.make(Tracer.Tracer, tracer).pipe(Context.add(Metric.MetricRegistry, registry))
  const metrics = (): ReadonlyArray<Measured> =>
    Metric.snapshotUnsafe(context).map(({ attributes = {}, id, state, type }) => ({
      name: id,
      type,
      attributes,
      state: { ...state },
    }))
  return {
    spans,
    tracer,
    metrics,
    named: (name: string) => metrics().filter((metric) => metric.name === name),
    watch: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, context),
    /** All spans and metrics as one text. */
    everything: () => inspect([spans.map((span) => [span, attributesOf(span)]), metrics()], { depth: 12 }),
  }
}

export const attributesOf = (span: Tracer.Span | undefined): Readonly<Record<string, unknown>> =>
  Object.fromEntries(span?.attributes ?? [])

export const parentOf = (span: Tracer.Span | undefined): string | undefined =>
  Option.getOrUndefined(span?.parent ?? Option.none())?.spanId

/** How a span ended, in one line. */
export const ending = (span: Tracer.Span | undefined): string => {
  if (span?.status._tag !== "Ended") return "not ended"
  const { exit } = span.status
  if (exit._tag === "Success") return "ok"
  return exit.cause.reasons
    .map((reason) => (reason._tag === "Fail" ? String((reason.error as Error).stack) : reason._tag))
    .join()
}
