/** A failing tracer or metric registry changes no outcome. */
import { assert, describe } from "@effect/vitest"
import { ConnectionUnavailable } from "@zain/core/McpError"
import { test } from "@zain/testkit/Test"
import { Context, Effect, Exit, Fiber, Metric, Tracer } from "effect"
import { config, session as held, make as heldAgent, start } from "../testing/HeldAgent.ts"
import { attributesOf, ending, make as recorder } from "../testing/Recorder.ts"

const broken = (): never => {
  throw new Error("a tracer that is broken")
}

/** A fault of a tracer's spans or of its registry. */
interface Fault {
  readonly name: string
  readonly span?: (span: Tracer.NativeSpan) => Tracer.Span
  readonly registry?: Metric.MetricRegistry
}

const faults: ReadonlyArray<Fault> = [
  { name: "makes no span", span: broken },
  { name: "takes no attribute", span: (span) => Object.assign(span, { attribute: broken }) },
  { name: "cannot end a span", span: (span) => Object.assign(span, { end: broken }) },
  {
    name: "throws in `spanContext`",
    span: (span) => Object.assign(span, { span: { spanContext: broken } }),
  },
  {
    name: "throws when an id is read",
    span: (span) => Object.defineProperty(span, "traceId", { get: broken }),
  },
  { name: "keeps no metrics", registry: Object.assign(new Map(), { get: broken, set: broken }) },
]

/** Runs an effect with such a tracer. */
const watching =
  ({ registry = new Map(), span = (made) => made }: Fault) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideContext(
      effect,
      Context.make(Tracer.Tracer, Tracer.make({ span: (options) => span(new Tracer.NativeSpan(options)) })).pipe(
        Context.add(Metric.MetricRegistry, registry),
      ),
    )

describe("a tracer that throws changes no outcome (docs/guides/observe.md)", () => {
  test.each(faults)("if it $name: open, execute and close succeed, and everything is released", function* (fault) {
    const { adapter, log } = yield* heldAgent({
      execute: ({ content }) => Effect.succeed({ content, isError: false, threadId: "thread" }),
    })
    const answer = yield* watching(fault)(
      Effect.gen(function* () {
        const id = yield* adapter.openSession(config)
        const answer = yield* adapter.execute(id, { content: "hello" })
        yield* adapter.closeSession(id)
        return answer
      }),
    )
    assert.strictEqual(answer.content, "hello")
    assert.deepStrictEqual(log, ["connected", "released"])
  })

  test.each(faults)("if it $name: a failure is unchanged", function* (fault) {
    const watch = watching(fault)
    const lost = new ConnectionUnavailable({ reason: "server-error", message: "Gone.", delivery: "unknown" })
    const { ask } = yield* watch(held({ execute: () => Effect.fail(lost) }))
    assert.strictEqual(yield* watch(Effect.flip(ask("hello"))), lost)
    const { adapter, log } = yield* heldAgent({ connect: () => Effect.fail(lost) })
    assert.strictEqual(yield* watch(Effect.flip(adapter.openSession(config))), lost)
    assert.deepStrictEqual(log, ["connected", "released"])
  })

  test.each(faults)("if it $name: a cancelled turn is interrupted, and the next one runs", function* (fault) {
    const watch = watching(fault)
    const { ask, log, next } = yield* watch(held())
    const asked = yield* start(watch(ask("hello")))
    yield* next
    yield* Fiber.interrupt(asked)
    assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(asked)))
    const again = yield* start(watch(ask("again")))
    ;(yield* next).answer("here")
    assert.strictEqual((yield* Fiber.join(again)).content, "here")
    assert.deepStrictEqual(log, ["connected", "interrupted hello"])
  })

  test("and receives everything after the attribute that it throws on", function* () {
    const { named, spans, tracer, watch } = recorder()
    const picky = Tracer.make({
      span: (options) => {
        const span = tracer.span(options)
        const attribute = span.attribute.bind(span)
        return Object.assign(span, {
          attribute: (name: string, value: unknown) => (name === "zain.turn" ? broken() : attribute(name, value)),
        })
      },
    })
    const { ask } = yield* held({ execute: () => Effect.succeed({ content: "", isError: false, threadId: "one" }) })
    yield* watch(Effect.provideService(ask("hello"), Tracer.Tracer, picky))
    assert.strictEqual(ending(spans[0]), "ok")
    assert.strictEqual(attributesOf(spans[0])["gen_ai.conversation.id"], "one")
    assert.lengthOf(named("gen_ai.client.operation.duration"), 1)
  })
})

describe("a span", () => {
  test.each([
    ["that succeeds", Effect.succeed({ content: "", isError: false })],
    ["that fails", Effect.die("defect")],
    ["that is interrupted", Effect.interrupt],
  ] as const)("of a turn %s ends once, even if its tracer does not record the end", function* ([, execute]) {
    let ends = 0
    const forgetful: Fault = {
      name: "",
      span: (span) =>
        Object.assign(span, {
          end: () => {
            ends++
          },
        }),
    }
    const { ask } = yield* held({ execute: () => execute })
    yield* Effect.exit(watching(forgetful)(ask("hello")))
    assert.strictEqual(ends, 1)
  })
})
