/**
 * What a program with OpenTelemetry's official SDK receives of this process: its spans and metrics, in memory.
 */
import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics"
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { Layer, Metric } from "effect"

/**
 * - `processor`: exports the spans
 * - `layer`: the SDK for one program, whose metrics are counted apart from those of any other
 * - `spans`, `metrics`: what has arrived; metrics once the layer has ended
 * - `everything`: all of it, as text
 */
export const make = () => {
  const spans: Array<ReadableSpan> = []
  const processor: SpanProcessor = {
    onStart: () => {},
    onEnd: (span) => void spans.push(span),
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  }
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const metrics = () =>
    exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
  const layer: Layer.Layer<never> = NodeSdk.layer(() => ({
    resource: { serviceName: "zain-e2e" },
    spanProcessor: processor,
    metricReader: new PeriodicExportingMetricReader({ exporter }),
  })).pipe(Layer.provideMerge(Layer.succeed(Metric.MetricRegistry)(new Map())))
  const everything = () =>
    JSON.stringify([
      ...spans.map(({ attributes, events, links, name, status }) => ({ attributes, events, links, name, status })),
      ...metrics(),
    ])
  return { processor, layer, spans, metrics, everything }
}
