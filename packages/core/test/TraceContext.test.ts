import { assert, describe, it } from "@effect/vitest"
import type { AgentConnection, Driver } from "@zain/core/AgentConnection"
import * as McpSessionRuntime from "@zain/core/McpSessionRuntime"
import { Effect, Tracer } from "effect"
import { config, supports } from "../testing/HeldAgent.ts"

type Execute = AgentConnection["execute"]

describe("the trace context sent to a server (MCP, SEP-414)", () => {
  const [traceId, spanId] = ["0af7651916cd43dd8448eb211c80319c", "00f067aa0ba902b7"]

  /** The context of a turn and a handshake under a tracer whose spans have these fields. */
  const context = (span: object) =>
    Effect.gen(function* () {
      const given: Array<unknown> = []
      const driver: Driver = {
        provider: "held",
        supports,
        connect: (_, __, trace) => {
          given.push(trace)
          const execute: Execute = (_, { trace }) => {
            given.push(trace?.context)
            return Effect.succeed({ content: "", isError: false })
          }
          return Effect.succeed({ execute, abort: () => {} })
        },
      }
      const client = yield* McpSessionRuntime.make(driver)
      yield* client.execute(yield* client.openSession(config), { content: "Go" })
      assert.deepStrictEqual(given[0], given[1])
      return given[0]
    }).pipe(
      Effect.provideService(Tracer.Tracer, {
        span: (options) =>
          Object.defineProperties(new Tracer.NativeSpan(options), Object.getOwnPropertyDescriptors(span)),
      }),
    )

  const sampled = `00-${traceId}-${spanId}-01`
  it.effect.each([
    { name: "a sampled span", span: { traceId, spanId, sampled: true }, traced: { traceparent: sampled } },
    {
      name: "a span that is not sampled",
      span: { traceId, spanId, sampled: false },
      traced: { traceparent: `00-${traceId}-${spanId}-00` },
    },
    {
      name: "a trace id of 64 bits",
      span: { traceId: spanId, spanId, sampled: true },
      traced: { traceparent: `00-${"0".repeat(16)}${spanId}-${spanId}-01` },
    },
    {
      name: "a span of OpenTelemetry with a state",
      span: {
        traceId,
        spanId,
        sampled: true,
        span: { spanContext: () => ({ traceState: { serialize: () => "a=1" } }) },
      },
      traced: { traceparent: sampled, tracestate: "a=1" },
    },
    { name: "a span without ids", span: { traceId: "0".repeat(32), spanId: "0".repeat(16) }, traced: undefined },
    { name: "a span with ids in another format", span: { traceId: "trace", spanId: "span" }, traced: undefined },
  ])("follows from $name", ({ span, traced }) =>
    Effect.map(context(span), (seen) => assert.deepStrictEqual(seen, traced)),
  )
})
