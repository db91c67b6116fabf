/** What the official SDK and Effect's exporters do to the work when they break, and when clients share them. */
import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import { assert, describe, it } from "@effect/vitest"
import { NoopSpanProcessor, type SpanProcessor } from "@opentelemetry/sdk-trace-base"
import * as Incubating from "@opentelemetry/semantic-conventions/incubating"
import { CodexMcpClientAdapter } from "@zain/codex-client"
import { ContractScript, FakePeer } from "@zain/contract-tests"
import { McpPromiseClient } from "@zain/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Collector from "../src/Collector.ts"
import { faces, succeeded } from "../src/TelemetryFaces.ts"
import { layers } from "../src/TelemetryLayers.ts"

const prompt = ContractScript.prompt({ _tag: "Say", text: "hello" })

const broken = (): never => {
  throw new Error("a processor that is broken")
}

describe("a span processor of the official SDK that throws changes no outcome (issue 6, part 7)", () => {
  const each = (["onStart", "onEnd", "forceFlush", "shutdown"] as const).flatMap((member) =>
    (["Effect", "Promise"] as const).map((face) => ({ member, face })),
  )
  it.live.each(each)("in $member, through $face: the turn is answered, and all is closed", ({ face, member }) =>
    Effect.gen(function* () {
      const fake = FakePeer.inMemory("codex")
      const adapter = CodexMcpClientAdapter.make({ profile: "native", connect: fake.connect })
      const spanProcessor: SpanProcessor = Object.assign(new NoopSpanProcessor(), { [member]: broken })
      const telemetry = NodeSdk.layer(() => ({ resource: { serviceName: "zain-e2e" }, spanProcessor }))
      const told: Array<string> = []
      const program = Effect.gen(function* () {
        const client = yield* adapter
        const session = yield* client.openSession(fake.config)
        told.push((yield* client.execute(session, { content: prompt })).content)
        yield* client.closeSession(session)
        told.push("closed")
      })
      if (face === "Effect") {
        // How its own Layer ends is the program's affair.
        yield* program.pipe(Effect.scoped, Effect.provide(telemetry), Effect.exit)
        assert.deepStrictEqual(told, ["hello", "closed"])
      } else yield* faces.Promise(adapter, fake.config, [prompt], telemetry)
      assert.strictEqual(yield* fake.peer.count(prompt), 1)
    }),
  )
})

describe("several clients of promises (docs/observability.md)", () => {
  it.live("share exporters that are built once: a turn of each is counted once", () =>
    Effect.gen(function* () {
      const collector = yield* Collector.make
      yield* Effect.promise(async () => {
        const runtime = ManagedRuntime.make(layers.effect(collector.url))
        const telemetry = Layer.succeedContext(await runtime.context())
        const use = async () => {
          const fake = FakePeer.inMemory("codex")
          const adapter = CodexMcpClientAdapter.make({ profile: "native", connect: fake.connect })
          await using client = await McpPromiseClient.make(adapter, { telemetry })
          succeeded(await client.execute(succeeded(await client.openSession(fake.config)), prompt))
        }
        await Promise.all([use(), use()])
        await runtime.dispose()
      })
      const turns = collector
        .points()
        .filter(({ name }) => name === Incubating.METRIC_GEN_AI_CLIENT_OPERATION_DURATION)
        .map(({ count }) => count)
      assert.deepStrictEqual(turns, [2])
      assert.lengthOf(
        collector.spans().filter(({ name }) => name === "invoke_agent codex"),
        2,
      )
      const calls = collector
        .points()
        .filter(({ name }) => name === Incubating.METRIC_MCP_CLIENT_OPERATION_DURATION)
        .map(({ attributes, bounds, count, unit }) => [
          attributes[Incubating.ATTR_MCP_METHOD_NAME],
          count,
          unit,
          bounds?.at(-1),
        ])
      assert.deepStrictEqual(calls, [
        [Incubating.MCP_METHOD_NAME_VALUE_INITIALIZE, 2, "s", 300],
        [Incubating.MCP_METHOD_NAME_VALUE_TOOLS_CALL, 2, "s", 300],
      ])
    }),
  )
})
