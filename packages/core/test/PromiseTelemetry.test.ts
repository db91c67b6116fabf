/** How `McpPromiseClient.close` ends operations and the telemetry Layer. */
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { InMemoryMcpClient, McpPromiseClient, McpResult } from "@zain/core"
import type { AgentConnection } from "@zain/core/AgentConnection"
import { Effect, Layer, ManagedRuntime, Metric, Tracer } from "effect"
import { config, adapter as heldAdapter, make as heldAgent, inWords, type Options } from "../testing/HeldAgent.ts"
import { ending, make as recorder } from "../testing/Recorder.ts"

/** A telemetry Layer with a tracer, and a log of its lifecycle. */
const audience = (end: (log: Array<string>) => Effect.Effect<unknown> = () => Effect.void) => {
  const log: Array<string> = []
  const made = recorder()
  const layer = Layer.effect(
    Tracer.Tracer,
    Effect.acquireRelease(
      Effect.sync(() => {
        log.push("built")
        return made.tracer
      }),
      () =>
        Effect.suspend(() => {
          log.push("ending")
          return end(log)
        }),
    ),
  )
  return { ...made, log, layer }
}

const held = (log: Array<string>, options: Options = {}) =>
  heldAdapter({
    ...options,
    connect: () => Effect.acquireRelease(Effect.void, () => Effect.sync(() => log.push("agent ended"))),
  })

/** A client with a turn whose agent ignores `abort`. */
const deaf = async (execute: AgentConnection["execute"], telemetry?: Layer.Layer<never>) => {
  const begun = Promise.withResolvers<void>()
  const client = await McpPromiseClient.make(
    held([], {
      abort: () => {},
      execute: (...given) =>
        Effect.suspend(() => {
          begun.resolve()
          return execute(...given)
        }),
    }),
    telemetry === undefined ? {} : { telemetry },
  )
  const session = McpResult.getOrThrow(await client.openSession(config))
  const asked = client.execute(session, "hello")
  await begun.promise
  return { client, asked }
}

/** The message of a rejection. */
const messageOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "it was resolved",
    (error: Error) => error.message,
  )

const failureOf = (result: McpResult<unknown>) => (McpResult.isFailure(result) ? inWords(result.failure) : "a success")

describe("McpPromiseClient.close with a turn that never ends (rule-8.disposal)", () => {
  it("resolves, and a stream of the turn fails with SessionClosed", async () => {
    const { layer, spans } = audience()
    const client = await McpPromiseClient.make(held([], { abort: () => {}, execute: () => Effect.never }), {
      telemetry: layer,
    })
    const session = McpResult.getOrThrow(await client.openSession(config))
    const pieces = client.stream(session, "hello")[Symbol.asyncIterator]()
    await pieces.next()
    const next = pieces.next()
    await Promise.all([
      client.close(),
      next.then(
        () => assert.fail("it went on"),
        (error) => assert.strictEqual(inWords(error), "SessionClosed closed unknown"),
      ),
    ])
    assert.isTrue(
      spans.some(({ name }) => name.startsWith("invoke_agent")),
      "a span of the turn",
    )
  })

  it.each(["with", "without"] as const)("resolves %s telemetry, and the turn fails with SessionClosed", async (how) => {
    const { layer, log, spans } = audience()
    const { asked, client } = await deaf(() => Effect.never, how === "with" ? layer : undefined)
    await client.close()
    assert.strictEqual(failureOf(await asked), "SessionClosed closed unknown")
    if (how === "with") {
      assert.deepStrictEqual(log, ["built", "ending"])
      assert.deepStrictEqual(spans.map(ending), ["ok", "Interrupt"])
    }
  })

  it("resolves even if the turn cannot be interrupted", async () => {
    const stuck = Promise.withResolvers<void>()
    const { layer, log } = audience()
    const { asked, client } = await deaf(
      () =>
        Effect.uninterruptible(
          Effect.as(
            Effect.promise(() => stuck.promise),
            { content: "late", isError: false },
          ),
        ),
      layer,
    )
    await client.close()
    assert.deepStrictEqual(log, ["built", "ending"])
    stuck.resolve()
    await asked
  })
})

describe("McpPromiseClient.close with a telemetry Layer", () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it("releases the Layer after the agents have ended and all turns have been recorded", async () => {
    const { layer, log, spans } = audience((log) => Effect.sync(() => log.push(...spans.map(ending))))
    const { promise: begun, resolve } = Promise.withResolvers<void>()
    const agent = Effect.map(
      heldAgent({
        connect: () => Effect.acquireRelease(Effect.void, () => Effect.sync(() => log.push("agent ended"))),
      }),
      ({ adapter, next }) => {
        Effect.runFork(Effect.map(next, () => resolve()))
        return adapter
      },
    )
    const client = await McpPromiseClient.make(agent, { telemetry: layer })
    const id = McpResult.getOrThrow(await client.openSession(config))
    const asked = Array.from({ length: 51 }, () => client.execute(id, "hello"))
    await begun
    await client.close()
    await Promise.all(asked)
    assert.deepStrictEqual(log, ["built", "agent ended", "ending", "ok", ...Array(51).fill("SessionClosed: closed")])
  })

  it("resolves after the agents have ended even if the Layer fails to release", async () => {
    const { layer, log } = audience(() => Effect.die(new Error("no collector")))
    const client = await McpPromiseClient.make(held(log), { telemetry: layer })
    McpResult.getOrThrow(await client.openSession(config))
    await client.close()
    await client.close()
    assert.deepStrictEqual(log, ["built", "agent ended", "ending"])
  })

  it("ends the agents at once, and stops waiting for the Layer after five seconds", async () => {
    const { layer, log } = audience(() => Effect.never)
    const client = await McpPromiseClient.make(held(log), { telemetry: layer })
    McpResult.getOrThrow(await client.openSession(config))
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] })
    let isClosed = false
    const closing = client.close().then(() => {
      isClosed = true
    })
    await vi.advanceTimersByTimeAsync(4900)
    assert.deepStrictEqual([isClosed, log], [false, ["built", "agent ended", "ending"]])
    await vi.advanceTimersByTimeAsync(200)
    await closing
  })

  it("releases the Layer and rejects if closing a session is a defect", async () => {
    const { layer, log } = audience()
    const broken = heldAdapter({ connect: () => Effect.addFinalizer(() => Effect.die(new Error("broken"))) })
    const client = await McpPromiseClient.make(broken, { telemetry: layer })
    McpResult.getOrThrow(await client.openSession(config))
    assert.deepStrictEqual([await messageOf(client.close()), log], ["broken", ["built", "ending"]])
  })
})

describe("McpPromiseClient.make", () => {
  it("rejects with the fault of its telemetry Layer, and releases what the Layer had built", async () => {
    const { layer, log } = audience(() => Effect.die(new Error("nor at the end")))
    const telemetry = Layer.effectDiscard(Effect.die(new Error("no collector"))).pipe(Layer.provideMerge(layer))
    assert.strictEqual(await messageOf(McpPromiseClient.make(held(log), { telemetry })), "no collector")
    assert.deepStrictEqual(log, ["built", "ending"])
  })

  it("rejects with the fault of its adapter, and releases the telemetry Layer", async () => {
    const { layer, log } = audience()
    const made = McpPromiseClient.make(Effect.die(new Error("no adapter")), { telemetry: layer })
    assert.strictEqual(await messageOf(made), "no adapter")
    assert.deepStrictEqual(log, ["built", "ending"])
  })
})

describe("a telemetry Layer shared by several clients (docs/guides/observe.md)", () => {
  const use = async (telemetry: Layer.Layer<never>) => {
    const client = await McpPromiseClient.make(InMemoryMcpClient.make(), { telemetry })
    const session = McpResult.getOrThrow(await client.openSession(InMemoryMcpClient.config))
    McpResult.getOrThrow(await client.execute(session, "hello"))
    await client.close()
  }
  const registry = () => Layer.succeed(Metric.MetricRegistry, new Map())

  it("is built once by a ManagedRuntime, records each client once, and is released with the runtime", async () => {
    const { layer, log, spans } = audience()
    const runtime = ManagedRuntime.make(Layer.merge(layer, registry()))
    const context = await runtime.context()
    const shared = Layer.succeedContext(context)
    await use(shared)
    await use(shared)
    assert.deepStrictEqual(log, ["built"])
    assert.lengthOf(spans, 4)
    const turns = Metric.snapshotUnsafe(context).filter(({ id }) => id === "gen_ai.client.operation.duration")
    assert.deepStrictEqual(
      turns.map(({ state }) => ("count" in state ? state.count : undefined)),
      [2],
    )
    await runtime.dispose()
    assert.deepStrictEqual(log, ["built", "ending"])
  })
})
