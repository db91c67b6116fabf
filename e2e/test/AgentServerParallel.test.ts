import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { type Front, type Place, pairs, place } from "../src/AgentServers.ts"
import * as OfficialClient from "../src/OfficialClient.ts"
import * as Wishes from "../src/Wishes.ts"

const count = 16

/** One client of a server of its own, or two of one that listens. */
const connected = (at: Place, front: Front) =>
  Effect.gen(function* () {
    if (front === "stdio") return [yield* OfficialClient.connect(at, { front })]
    const { url } = yield* at.serve(front)
    return yield* Effect.forEach([1, 2], () => OfficialClient.connect(at, { front, url }))
  })

/** Sixteen processes of Claude Code are enough once; the fronts are the same for both. */
const cases = pairs.filter(({ agent, front }) => agent === "codex" || front === "http")

describe.each(cases)("$agent over $front", ({ agent, front }) => {
  it.live(`has ${count} turns at its model at once, behind one server, and each call gets its own answer`, () =>
    Effect.gen(function* () {
      const all = yield* Deferred.make<void>()
      let waiting = 0
      const play = Wishes.play(agent)
      const at = yield* place(agent, {
        respond: (request) => {
          if (++waiting === count) Deferred.doneUnsafe(all, Effect.void)
          return Effect.as(Deferred.await(all), play(request))
        },
      })
      const clients = yield* connected(at, front)
      const prompts = Array.from({ length: count }, (_, index) =>
        Wishes.prompt({ _tag: "Say", text: `answer ${index}` }),
      )
      const asking = Effect.forEach(
        prompts,
        ({ text }, index) => Effect.promise(async () => await clients[index % clients.length]?.start(text)),
        { concurrency: "unbounded" },
      )
      const answers = yield* asking
      assert.deepStrictEqual(
        answers.map((answer) => answer?.content),
        prompts.map((_, index) => `answer ${index}`),
      )
      assert.strictEqual(new Set(answers.map((answer) => answer?.threadId)).size, count)
      if (agent === "codex") {
        const servers = at.alive().filter(({ command }) => / app-server( |$)/.test(command))
        assert.strictEqual(servers.length, 1, JSON.stringify(servers))
      }
    }),
  )
})
