/**
 * The two ways in which a program sends spans and metrics to a collector.
 */
import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics"
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace-base"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Otlp from "effect/observability/Otlp"

const resource = { serviceName: "zain-e2e" }

/** Counts what this program measures, and nothing of the programs beside it in the same process. */
const ownMetrics = () => Layer.succeed(Metric.MetricRegistry)(new Map())

/** Effect's own exporters. */
const effect = (url: string): Layer.Layer<never> =>
  Otlp.layerJson({ baseUrl: url, resource }).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provideMerge(ownMetrics()),
  )

/** The official SDK and its exporters. */
const official = (url: string): Layer.Layer<never> =>
  NodeSdk.layer(() => ({
    resource,
    spanProcessor: new BatchSpanProcessor(new OTLPTraceExporter({ url: `${url}/v1/traces` })),
    metricReader: new PeriodicExportingMetricReader({
      exporter: new OTLPMetricExporter({ url: `${url}/v1/metrics` }),
    }),
  })).pipe(Layer.provideMerge(ownMetrics()))

export const layers = { effect, official }
