/**
 * An OpenTelemetry collector of this process: takes OTLP as JSON over HTTP, and keeps it.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"

/** A value of an attribute, as OTLP writes it. Integers may come as text. */
type Value = { readonly stringValue?: string; readonly intValue?: number | string; readonly doubleValue?: number }
type KeyValues = ReadonlyArray<{ readonly key: string; readonly value: Value }>

type Attributes = Readonly<Record<string, string | number | undefined>>

/** A span that arrived. `kind` and `status` are OTLP's numbers. */
export interface Span {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly status: number
  readonly attributes: Attributes
}

/** A point of a metric that arrived: the last one of its series. */
export interface Point {
  readonly name: string
  readonly unit: string
  readonly type: "sum" | "gauge" | "histogram"
  readonly attributes: Attributes
  readonly value: number
  readonly count: number | undefined
  readonly bounds: ReadonlyArray<number> | undefined
}

/**
 * - `url`: where it listens; traces go to `/v1/traces` below it, metrics to `/v1/metrics`
 * - `raw`: all that arrived, as it came
 */
export interface Collector {
  readonly url: string
  readonly spans: () => ReadonlyArray<Span>
  readonly points: () => ReadonlyArray<Point>
  readonly raw: () => string
}

/** Listens until the Scope ends. */
export const make = Effect.acquireRelease(
  Effect.promise(async () => {
    const bodies: Array<{ readonly path: string; readonly text: string }> = []
    const server = createServer((request, response) => {
      const pieces: Array<Buffer> = []
      request.on("data", (piece: Buffer) => pieces.push(piece))
      request.on("end", () => {
        bodies.push({ path: request.url ?? "", text: Buffer.concat(pieces).toString() })
        response.writeHead(200, { "content-type": "application/json" }).end("{}")
      })
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const { port } = server.address() as AddressInfo
    const at = (path: string) => bodies.filter((body) => body.path === path).map(({ text }) => JSON.parse(text))
    const collector: Collector = {
      url: `http://127.0.0.1:${port}`,
      spans: () => at("/v1/traces").flatMap(spansOf),
      points: () => lastOf(at("/v1/metrics").flatMap(pointsOf)),
      raw: () => bodies.map(({ text }) => text).join("\n"),
    }
    return { collector, server }
  }),
  ({ server }) =>
    Effect.promise(async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    }),
).pipe(Effect.map(({ collector }) => collector))

const attributesOf = (given: KeyValues = []): Attributes =>
  Object.fromEntries(
    given.map(({ key, value: { doubleValue, intValue, stringValue } }) => [
      key,
      stringValue ?? (intValue === undefined ? doubleValue : Number(intValue)),
    ]),
  )

interface OtlpSpan extends Omit<Span, "attributes" | "status"> {
  readonly attributes?: KeyValues
  readonly status?: { readonly code?: number }
}

interface OtlpTraces {
  readonly resourceSpans: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<OtlpSpan> }>
  }>
}

const spansOf = ({ resourceSpans }: OtlpTraces): ReadonlyArray<Span> =>
  resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map(({ attributes, kind, name, parentSpanId, spanId, status, traceId }) => ({
      name,
      kind,
      traceId,
      spanId,
      parentSpanId: parentSpanId === "" ? undefined : parentSpanId,
      status: status?.code ?? 0,
      attributes: attributesOf(attributes),
    }))

interface OtlpPoint {
  readonly attributes?: KeyValues
  readonly asDouble?: number
  readonly asInt?: number | string
  readonly sum?: number
  readonly count?: number | string
  readonly explicitBounds?: ReadonlyArray<number>
}

type OtlpMetric = { readonly name: string; readonly unit: string } & {
  readonly [Type in Point["type"]]?: { readonly dataPoints: ReadonlyArray<OtlpPoint> }
}

interface OtlpMetrics {
  readonly resourceMetrics: ReadonlyArray<{
    readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<OtlpMetric> }>
  }>
}

const types = ["sum", "gauge", "histogram"] as const

const pointsOf = ({ resourceMetrics }: OtlpMetrics): ReadonlyArray<Point> =>
  resourceMetrics
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
    .flatMap((metric) =>
      types.flatMap((type) =>
        (metric[type]?.dataPoints ?? []).map(({ asDouble, asInt, attributes, count, explicitBounds, sum }) => ({
          name: metric.name,
          unit: metric.unit,
          type,
          attributes: attributesOf(attributes),
          value: Number(asDouble ?? asInt ?? sum),
          count: count === undefined ? undefined : Number(count),
          bounds: explicitBounds,
        })),
      ),
    )

/** Cumulative points replace the ones before them. */
const lastOf = (points: ReadonlyArray<Point>): ReadonlyArray<Point> => [
  ...new Map(points.map((point) => [JSON.stringify([point.name, point.attributes]), point])).values(),
]
