/**
 * A span in the format of W3C Trace Context, for the `_meta` of a request.
 *
 * @see MCP, SEP-414; W3C Trace Context
 */
import * as Context from "effect/Context"
import * as Tracer from "effect/Tracer"
import type { TraceContext } from "./AgentConnection.ts"

/** The trace of a span; `undefined` if its ids are not those of W3C, or its propagation is disabled. */
export const of = (span: Tracer.Span): TraceContext | undefined => {
  if (Context.get(span.annotations, Tracer.DisablePropagation)) return undefined
  const traceId = span.traceId.padStart(32, "0")
  if (!isId(traceId, 32) || !isId(span.spanId, 16)) return undefined
  const traceparent = `00-${traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`
  const tracestate = stateOf(span)
  return tracestate === undefined || tracestate === "" ? { traceparent } : { traceparent, tracestate }
}

const isId = (id: string, length: number): boolean => id.length === length && /^[0-9a-f]+$/.test(id) && !/^0+$/.test(id)

/**
 * Effect's spans have no `tracestate`. Those of `@effect/opentelemetry` hold a span of OpenTelemetry's API, which may.
 */
const stateOf = (span: Tracer.Span & { readonly span?: Partial<OtelSpan> }): string | undefined =>
  span.span?.spanContext?.().traceState?.serialize()

/** The part of OpenTelemetry's `Span` that is read here. */
interface OtelSpan {
  readonly spanContext: () => { readonly traceState?: { readonly serialize: () => string } }
}
