/** How a client of promises ends, whatever becomes of its operations and of those who watch them. */
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { InMemoryMcpClient, McpPromiseClient, McpResult } from "@zain/core"
import type { AgentConnection } from "@zain/core/AgentConnection"
import { Effect, Exit, Layer, ManagedRuntime, Metric, Scope, Tracer } from "effect"
import { config, adapter as heldAdapter, make as heldAgent, inWords, type Options } from "./HeldAgent.ts"
import { ending, make as recorder } from "./Recorder.ts"

/** A Layer with a tracer, and what happens to it, in order. */
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

/** A client with an open session, whose agent ignores that a turn is given up. */
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

/** What a promise was rejected with, in words. */
const messageOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "it was resolved",
    (error: Error) => error.message,
  )

const failureOf = (result: McpResult<unknown>) => (McpResult.isFailure(result) ? inWords(result.failure) : "a success")

describe("close, with a turn under way that never ends (design §4, rule 8)", () => {
  it.each(["with", "without"] as const)(
    "%s telemetry it returns, and the turn says that all is closed",
    async (how) => {
      const { layer, log, spans } = audience()
      const { asked, client } = await deaf(() => Effect.never, how === "with" ? layer : undefined)
      await client.close()
      assert.strictEqual(failureOf(await asked), "SessionClosed closed unknown")
      if (how === "with") {
        assert.deepStrictEqual(log, ["built", "ending"])
        assert.deepStrictEqual(spans.map(ending), ["ok", "Interrupt"])
      }
    },
  )

  it("a turn that nobody can interrupt does not hold it up either", async () => {
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

it("each operation of a program without Effect is a trace of its own where no span is active (issue 6, part 7)", async () => {
  const { layer, spans } = audience()
  const agent = held([], { execute: () => Effect.succeed({ content: "", isError: false }) })
  const client = await McpPromiseClient.make(agent, { telemetry: layer })
  const id = McpResult.getOrThrow(await client.openSession(config))
  await client.execute(id, "hello")
  await client.closeSession(id)
  await client.close()
  assert.deepStrictEqual(
    spans.map((span) => [span.name, span.parent._tag, ending(span)]),
    [
      ["initialize", "None", "ok"],
      ["invoke_agent held", "None", "ok"],
      ["close_session held", "None", "ok"],
    ],
  )
})

describe("close, with a Layer", () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it("it ends once the agents have ended and all that was under way has been told", async () => {
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

  it("one that fails is nobody's failure, and the agents have ended before", async () => {
    const { layer, log } = audience(() => Effect.die(new Error("no collector")))
    const client = await McpPromiseClient.make(held(log), { telemetry: layer })
    McpResult.getOrThrow(await client.openSession(config))
    await client.close()
    await client.close()
    assert.deepStrictEqual(log, ["built", "agent ended", "ending"])
  })

  it("one that never ends is left after five seconds, and the agents have ended at once", async () => {
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

  it("ends it also where the end of a session is a defect, which stays the caller's to see", async () => {
    const { layer, log } = audience()
    const broken = heldAdapter({ connect: () => Effect.addFinalizer(() => Effect.die(new Error("broken"))) })
    const client = await McpPromiseClient.make(broken, { telemetry: layer })
    McpResult.getOrThrow(await client.openSession(config))
    assert.deepStrictEqual([await messageOf(client.close()), log], ["broken", ["built", "ending"]])
  })
})

describe("a client that cannot be made leaves nothing", () => {
  it("because of its Layer: what that had built has ended, and its own fault is told", async () => {
    const { layer, log } = audience(() => Effect.die(new Error("nor at the end")))
    const telemetry = Layer.effectDiscard(Effect.die(new Error("no collector"))).pipe(Layer.provideMerge(layer))
    assert.strictEqual(await messageOf(McpPromiseClient.make(held(log), { telemetry })), "no collector")
    assert.deepStrictEqual(log, ["built", "ending"])
  })

  it("because of its adapter: the Layer has ended", async () => {
    const { layer, log } = audience()
    const made = McpPromiseClient.make(Effect.die(new Error("no adapter")), { telemetry: layer })
    assert.strictEqual(await messageOf(made), "no adapter")
    assert.deepStrictEqual(log, ["built", "ending"])
  })
})

describe("several clients, one audience (docs/guides/observe.md)", () => {
  const use = async (telemetry: Layer.Layer<never>) => {
    const client = await McpPromiseClient.make(InMemoryMcpClient.make(), { telemetry })
    const session = McpResult.getOrThrow(await client.openSession(InMemoryMcpClient.config))
    McpResult.getOrThrow(await client.execute(session, "hello"))
    await client.close()
  }
  const registry = () => Layer.succeed(Metric.MetricRegistry, new Map())

  it("that is built once, by a runtime, hears each of them once, and ends when it is told", async () => {
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

  it("or in a Scope of the program's own", async () => {
    const { layer, log } = audience()
    const scope = Scope.makeUnsafe()
    const shared = Layer.succeedContext(await Effect.runPromise(Layer.buildWithScope(layer, scope)))
    await Promise.all([use(shared), use(shared)])
    assert.deepStrictEqual(log, ["built"])
    await Effect.runPromise(Scope.close(scope, Exit.void))
    assert.deepStrictEqual(log, ["built", "ending"])
  })
})
