import { assert, describe } from "@effect/vitest"
import type { InMemoryMcpClient } from "@zain/core"
import type { AgentConnection } from "@zain/core/AgentConnection"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber, Layer, Metric, Tracer } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { session as held, start } from "../testing/HeldAgent.ts"
import { attributesOf, make as recorder } from "../testing/Recorder.ts"
import { answer, whole } from "./WatchedSession.ts"

describe("metrics (docs/guides/observe.md)", () => {
  test("follow the conventions for turns, tokens and sessions, each with its unit", function* () {
    const { metrics, watch } = recorder()
    const reply = () => Effect.delay(Effect.succeed(answer), "90 seconds")
    const asked = yield* start(watch(whole({ provider: "codex", reply })))
    const open = metrics().find(({ name }) => name === "zain.client.session.count")
    assert.strictEqual(open?.state["count"], 1)
    yield* TestClock.adjust("90 seconds")
    yield* Fiber.join(asked)
    const codex = { "gen_ai.provider.name": "codex", "gen_ai.agent.name": "codex" }
    const turn = { "gen_ai.operation.name": "invoke_agent", ...codex }
    const session = { ...codex, "network.transport": "pipe" }
    assert.deepStrictEqual(
      metrics().map(({ attributes, name, state, type }) => [name, type, attributes, state["sum"] ?? state["count"]]),
      [
        ["zain.client.session.count", "Counter", { ...session, unit: "{session}" }, 0],
        ["mcp.client.operation.duration", "Histogram", { "mcp.method.name": "initialize", ...session, unit: "s" }, 0],
        ["gen_ai.client.operation.duration", "Histogram", { ...turn, unit: "s" }, 90],
        ["gen_ai.client.token.usage", "Histogram", { ...turn, "gen_ai.token.type": "input", unit: "{token}" }, 30],
        ["gen_ai.client.token.usage", "Histogram", { ...turn, "gen_ai.token.type": "output", unit: "{token}" }, 5],
        ["mcp.client.session.duration", "Histogram", { ...session, unit: "s" }, 90],
      ],
    )
  })

  test("of turns and tokens have the requested model as an attribute", function* () {
    const { named, watch } = recorder()
    const execute = () => Effect.succeed({ content: "", isError: false, usage: { outputTokens: 3 } })
    const { ask } = yield* held({ execute, about: { model: "large" } })
    yield* watch(ask("Go"))
    const measured = [...named("gen_ai.client.operation.duration"), ...named("gen_ai.client.token.usage")]
    assert.deepStrictEqual(
      measured.map(({ attributes }) => attributes["gen_ai.request.model"]),
      ["large", "large"],
    )
  })

  test("of requests to a server start when the request is sent", function* () {
    const { named, watch } = recorder()
    const { ask, next } = yield* watch(held())
    const first = yield* start(watch(ask("one")))
    const second = yield* start(watch(ask("two")))
    for (const [id, asked] of [first, second].entries()) {
      const { answer, turn } = yield* next
      yield* TestClock.adjust("3 seconds")
      turn.trace?.called("tool", String(id))
      yield* TestClock.adjust("4 seconds")
      answer("done")
      yield* Fiber.join(asked)
    }
    const requests = named("mcp.client.operation.duration")
    const by = { "gen_ai.agent.name": "held", "gen_ai.provider.name": "held", "network.transport": "pipe", unit: "s" }
    assert.deepStrictEqual(
      requests.map(({ attributes, state }) => [attributes, state["count"], state["sum"]]),
      [
        [{ "mcp.method.name": "initialize", ...by }, 1, 0],
        [{ "mcp.method.name": "tools/call", ...by }, 2, 8],
      ],
    )
  })

  test.each([Number.POSITIVE_INFINITY, -3, 0.5, Number.NaN, 2 ** 60])(
    "ignore %d as a count of tokens",
    function* (wrong) {
      const { named, spans, watch } = recorder()
      const reply = () => Effect.succeed({ ...answer, usage: { inputTokens: wrong, outputTokens: 0 } })
      yield* watch(whole({ reply }))
      assert.deepStrictEqual(
        named("gen_ai.client.token.usage").map(({ attributes, state }) => [
          attributes["gen_ai.token.type"],
          state["sum"],
        ]),
        [["output", 0]],
      )
      const names = Object.keys(attributesOf(spans[1])).filter((name) => name.startsWith("gen_ai.usage"))
      assert.deepStrictEqual(names, ["gen_ai.usage.output_tokens"])
    },
  )

  test("are recorded without spans if the tracer samples none, and no server receives a trace context", function* () {
    const registry: Metric.MetricRegistry = new Map()
    const traces: Array<unknown> = []
    const noSpans = Layer.mergeAll(
      Layer.succeed(
        Tracer.Tracer,
        Tracer.make({ span: (options) => new Tracer.NativeSpan({ ...options, sampled: false }) }),
      ),
      Layer.succeed(Tracer.DisablePropagation, true),
      Layer.succeed(Metric.MetricRegistry, registry),
    )
    const { ask } = yield* held({
      execute: (_, { trace }) => {
        traces.push(trace?.context)
        return Effect.succeed({ content: "", isError: false })
      },
    })
    yield* Effect.provide(ask("Go"), noSpans)
    assert.deepStrictEqual(traces, [undefined])
    assert.strictEqual(registry.size, 1)
  })

  test("count a turn once whatever its number of events, and add no series for further sessions", function* () {
    const { metrics, named, watch } = recorder()
    const reply: InMemoryMcpClient.Options["reply"] = ({ emit }) =>
      Effect.sync(() => {
        for (let at = 0; at < 100; at++) emit({ _tag: "TextDelta", text: "more " })
        return "done"
      })
    yield* watch(whole({ reply }))
    const series = metrics().length
    yield* watch(Effect.replicateEffect(whole({ reply }), 9))
    assert.strictEqual(named("gen_ai.client.operation.duration")[0]?.state["count"], 10)
    assert.strictEqual(metrics().length, series)
  })
})

describe("telemetry (docs/guides/observe.md)", () => {
  const seen = Effect.gen(function* () {
    const traces: Array<unknown> = []
    const parents: Array<string> = []
    const execute: AgentConnection["execute"] = (_, turn) =>
      Effect.map(Effect.option(Effect.currentParentSpan), (span) => {
        traces.push(turn.trace)
        parents.push(span._tag)
        return { content: "", isError: false }
      })
    const { ask, close } = yield* held({ execute })
    yield* ask("Go")
    yield* close
    return { traces, parents }
  })

  test.each([
    { name: "Effect's default tracer", off: (effect: typeof seen) => effect },
    {
      name: "tracing switched off",
      off: (effect: typeof seen) =>
        Effect.provideService(Effect.withTracerEnabled(effect, false), Tracer.Tracer, {
          span: () => assert.fail("a span was made"),
        }),
    },
  ])("with $name makes no span and records no metric", function* ({ off }) {
    const registry: Metric.MetricRegistry = new Map()
    const { parents, traces } = yield* Effect.provideService(off(seen), Metric.MetricRegistry, registry)
    assert.deepStrictEqual({ parents, traces }, { parents: ["None"], traces: [undefined] })
    assert.strictEqual(registry.size, 0)
  })
})
