/** Telemetry never changes an outcome, whatever those who watch do. */
import { assert, describe } from "@effect/vitest"
import { ConnectionUnavailable } from "@zain/core/McpError"
import { Context, Effect, Exit, Fiber, Metric, Tracer } from "effect"
import { config, session as held, make as heldAgent, start } from "./HeldAgent.ts"
import { attributesOf, ending, make as recorder } from "./Recorder.ts"
import { test } from "./Test.ts"

const broken = (): never => {
  throw new Error("a tracer that is broken")
}

/** What a tracer's spans do instead of what they should, and what of the tracer itself. */
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
    name: "does not say which span of OpenTelemetry it is",
    span: (span) => Object.assign(span, { span: { spanContext: broken } }),
  },
  {
    name: "has ids that cannot be read",
    span: (span) => Object.defineProperty(span, "traceId", { get: broken }),
  },
  { name: "keeps no metrics", registry: Object.assign(new Map(), { get: broken, set: broken }) },
]

/** An effect before such a tracer. */
const watching =
  ({ registry = new Map(), span = (made) => made }: Fault) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideContext(
      effect,
      Context.make(Tracer.Tracer, Tracer.make({ span: (options) => span(new Tracer.NativeSpan(options)) })).pipe(
        Context.add(Metric.MetricRegistry, registry),
      ),
    )

describe("a tracer that throws changes no outcome (issue 6, part 7: telemetry is beside the work)", () => {
  test.each(faults)("one that $name: open, execute and close succeed, and nothing is left", function* (fault) {
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

  test.each(faults)("one that $name: failures stay the failures that they are", function* (fault) {
    const watch = watching(fault)
    const lost = new ConnectionUnavailable({ reason: "server-error", message: "Gone.", delivery: "unknown" })
    const { ask } = yield* watch(held({ execute: () => Effect.fail(lost) }))
    assert.strictEqual(yield* watch(Effect.flip(ask("hello"))), lost)
    const { adapter, log } = yield* heldAgent({ connect: () => Effect.fail(lost) })
    assert.strictEqual(yield* watch(Effect.flip(adapter.openSession(config))), lost)
    assert.deepStrictEqual(log, ["connected", "released"])
  })

  test.each(faults)("one that $name: a turn that is given up is interrupted, and the next one runs", function* (fault) {
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

  test("what it can take, it is given all the same", function* () {
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

describe("a span ends once", () => {
  test.each([
    ["that succeeds", Effect.succeed({ content: "", isError: false })],
    ["that fails", Effect.die("defect")],
    ["that is interrupted", Effect.interrupt],
  ] as const)("that of a turn %s, whatever its tracer makes of the end", function* ([, execute]) {
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
