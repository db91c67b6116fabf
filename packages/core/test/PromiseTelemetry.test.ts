import { assert, describe, it } from "@effect/vitest"
import { McpPromiseClient, McpResult } from "@zain/core"
import type { AgentConnection } from "@zain/core/AgentConnection"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import { config, make as heldAgent } from "./HeldAgent.ts"
import { ending, make as recorder } from "./Recorder.ts"

/** A client with one open session, and all that happens to it and to its telemetry, in order. */
const watched = async (execute?: AgentConnection["execute"]) => {
  const log: Array<string> = []
  const { spans, tracer } = recorder()
  const note = (happened: string) => void log.push(happened)
  const telemetry = Layer.effect(
    Tracer.Tracer,
    Effect.acquireRelease(Effect.succeed(tracer), () =>
      Effect.sync(() => note(`ended with ${spans.map((span) => `${span.name} ${ending(span)}`).join(", ")}`)),
    ),
  )
  const begun = Promise.withResolvers<void>()
  const agent = Effect.map(
    heldAgent({
      ...(execute === undefined ? {} : { execute }),
      connect: () => Effect.acquireRelease(Effect.void, () => Effect.sync(() => note("agent ended"))),
    }),
    ({ adapter, next }) => {
      Effect.runFork(Effect.map(next, () => begun.resolve()))
      return adapter
    },
  )
  const client = await McpPromiseClient.make(agent, { telemetry })
  const opened = await client.openSession(config)
  if (McpResult.isFailure(opened)) throw opened.failure
  return { client, id: opened.success, spans, log, begun: begun.promise }
}

describe("a program without Effect gives a tracer as a Layer (issue 6, part 7)", () => {
  it("which hears of every operation, each a trace of its own where no span is active", async () => {
    const { client, id, spans } = await watched(() => Effect.succeed({ content: "", isError: false }))
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

  it("which ends with the client, once its agents have ended and all that was under way has been told", async () => {
    const { begun, client, id, log } = await watched()
    const waiting = 50
    const asked = Array.from({ length: 1 + waiting }, () => client.execute(id, "hello"))
    await begun
    await client.close()
    await Promise.all(asked)
    const closed = Array(1 + waiting).fill("invoke_agent held SessionClosed: closed")
    assert.deepStrictEqual(log, ["agent ended", `ended with ${["initialize ok", ...closed].join(", ")}`])
  })

  it("whose fault in starting is the caller's to see, and leaves nothing behind", async () => {
    const telemetry = Layer.effectDiscard(Effect.die(new Error("no collector")))
    const made = McpPromiseClient.make(
      Effect.map(heldAgent(), ({ adapter }) => adapter),
      { telemetry },
    )
    assert.strictEqual(
      await made.then(
        () => "made",
        (error: Error) => error.message,
      ),
      "no collector",
    )
  })
})
