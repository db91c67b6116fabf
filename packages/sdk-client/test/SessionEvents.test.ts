/** Events of a profile whose translation has state. */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber, Stream } from "effect"
import type { AgentSession } from "../src/AgentProfile.ts"
import * as SdkMcpClient from "../src/SdkMcpClient.ts"
import * as ThreadAnswer from "../src/ThreadAnswer.ts"
import * as AgentWire from "../testing/AgentWire.ts"
import { config, plain } from "../testing/Server.ts"

/** A session whose agent names a tool only when it begins to use it. */
const session = (): Pick<AgentSession, "event" | "heard"> => {
  const names = new Map<string, string>()
  return {
    heard: ({ params }) => {
      const { id, name } = params as { readonly id: string; readonly name?: string }
      if (name !== undefined) names.set(id, name)
      return undefined
    },
    event: ({ params }) => {
      const { id } = params as { readonly id: string }
      return { _tag: "ToolFinished", toolId: id, name: names.get(id) ?? "", isError: false }
    },
  }
}

describe("`event` of an AgentSession", () => {
  test("replaces the profile's, and shares the state of `heard`, which receives notifications that name no call, with no other session", function* () {
    const peers = yield* Effect.all([AgentWire.make("one"), AgentWire.make("two")])
    const left = [...peers]
    const adapter = yield* SdkMcpClient.make(
      {
        ...plain,
        event: () => assert.fail("the profile's `event` was called"),
        open: (target) =>
          Effect.succeed({
            target,
            call: () => ({ name: "ask", arguments: {} }),
            read: ThreadAnswer.reader("Test server"),
            ...session(),
          }),
      },
      { connect: (target) => left.shift()?.connect(target) ?? Effect.die("a third session") },
    )
    const names: Array<string> = []
    for (const [at, peer] of peers.entries()) {
      const { id, start } = yield* AgentWire.open(adapter, config(), peer.next)
      const events = yield* Effect.forkChild(Stream.runCollect(adapter.events(id)), { startImmediately: true })
      const { call, fiber } = yield* start("go")
      if (at === 0) call.notify("agent/tool", { id: "1", name: "shell" })
      call.notify("agent/tool", { id: "1" })
      call.answer({ content: [{ type: "text", text: "done" }] })
      yield* Fiber.join(fiber)
      yield* adapter.closeSession(id)
      for (const event of yield* Fiber.join(events)) if (event._tag === "ToolFinished") names.push(event.name)
    }
    assert.deepStrictEqual(names, ["shell", "shell", ""])
  })
})
