import * as OtelTracer from "@effect/opentelemetry/OtelTracer"
import { afterEach, assert, describe } from "@effect/vitest"
import { context as activeContext, createTraceState, trace } from "@opentelemetry/api"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import { CodexMcpClientAdapter } from "@zain/codex-client"
import { fakeCodex } from "@zain/codex-client/fake"
import { ContractScript, FakePeer } from "@zain/contract-tests"
import { McpPromiseClient, McpResult } from "@zain/core"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as Telemetry from "../src/Telemetry.ts"

const metaOf = (message: object) =>
  (message as { readonly params: { readonly _meta: Readonly<Record<string, string>> } }).params._meta

describe("in a program with the official API and its own provider,", () => {
  afterEach(() => {
    trace.disable()
    activeContext.disable()
  })

  test.live("the span that is active at a call is the parent, and its state is sent to the server", function* () {
    const { processor, spans } = Telemetry.make()
    const provider = new NodeTracerProvider({ spanProcessors: [processor] })
    provider.register()
    const fake = FakePeer.inMemory(fakeCodex)
    const metas: Array<Readonly<Record<string, string>>> = []
    const connect: typeof fake.connect = (target) =>
      Effect.map(fake.connect(target), (wire) => ({
        ...wire,
        send: (message) => {
          if ("method" in message && message.method === "tools/call") metas.push(metaOf(message))
          return wire.send(message)
        },
      }))
    const adapter = CodexMcpClientAdapter.make({ profile: "native", connect })
    const remote = {
      traceId: "0af7651916cd43dd8448eb211c80319c",
      spanId: "00f067aa0ba902b7",
      traceFlags: 1,
      isRemote: true,
      traceState: createTraceState("vendor=1"),
    }
    yield* Effect.promise(async () => {
      await using client = await McpPromiseClient.make(adapter, { telemetry: OtelTracer.layerGlobal })
      const session = McpResult.getOrThrow(await client.openSession(fake.config))
      const ask = async () => {
        await Promise.resolve()
        return McpResult.getOrThrow(
          await client.execute(session, ContractScript.prompt({ _tag: "Say", text: "hello" })),
        )
      }
      const within = trace.setSpanContext(activeContext.active(), remote)
      await activeContext.with(within, () =>
        trace.getTracer("program").startActiveSpan("request", async (span) => {
          await Promise.all([ask(), ask()])
          span.end()
        }),
      )
      await ask()
    })
    yield* Effect.promise(() => provider.shutdown())
    const named = (wanted: string) =>
      spans
        .filter(({ name }) => name === wanted)
        .map((span) => ({ ...span.spanContext(), parentSpanId: span.parentSpanContext?.spanId }))
    const [request] = named("request")
    const [first, second, third] = named("invoke_agent codex")
    assert.deepStrictEqual(
      [first, second].map((span) => [span?.traceId, span?.parentSpanId]),
      [
        [remote.traceId, request?.spanId],
        [remote.traceId, request?.spanId],
      ],
    )
    assert.isUndefined(third?.parentSpanId)
    assert.deepStrictEqual(
      metas.map(({ tracestate, traceparent }) => [traceparent, tracestate]),
      [
        [`00-${remote.traceId}-${first?.spanId}-01`, "vendor=1"],
        [`00-${remote.traceId}-${second?.spanId}-01`, "vendor=1"],
        [`00-${third?.traceId}-${third?.spanId}-01`, undefined],
      ],
    )
  })
})
