import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { pairs, Subject, subject } from "../src/AgentServers.ts"
import * as Breadth from "../src/Breadth.ts"
import * as OfficialClient from "../src/OfficialClient.ts"
import { until } from "../src/Until.ts"
import * as Wishes from "../src/Wishes.ts"

const connect = (answer?: Parameters<typeof OfficialClient.connect>[2]) =>
  Effect.gen(function* () {
    const { place, steps, way } = yield* Subject
    return { place, steps, ...(yield* OfficialClient.connect(place, way, answer)) }
  })

describe.each(pairs)("the official client and the real $agent over $front", ({ agent, front }) => {
  layer(subject(agent, front), { excludeTestServices: true })((it) => {
    it.effect("lists the two tools, with schemas of what goes in and what comes out", () =>
      Effect.gen(function* () {
        const { client } = yield* connect()
        const { tools } = yield* Effect.promise(() => client.listTools())
        assert.deepStrictEqual(
          tools.map(({ name, outputSchema }) => [name, outputSchema?.required]),
          [
            [agent, ["threadId", "content"]],
            [`${agent}-reply`, ["threadId", "content"]],
          ],
        )
      }),
    )

    it.effect("takes two turns of one thread, which remembers, and hears the text as it comes", () =>
      Effect.gen(function* () {
        const { heard, reply, start, steps } = yield* connect()
        const words = "one..two..three"
        const say = Wishes.prompt({ _tag: "Say", text: words, chunks: 3, pause: 1 })
        const recall = Wishes.prompt({ _tag: "Recall" })
        const starting = yield* Effect.forkChild(Effect.promise(() => start(say.text)))
        for (const text of ["one..", "one..two.."]) {
          yield* steps.next
          yield* Effect.promise(() =>
            until(
              () => heard.slice(1).join("") === text,
              () => `Heard ${heard.join()}, and not ${text}`,
            ),
          )
        }
        // The SDK loses progress that arrives together with the result, as the last word may.
        yield* steps.next
        const first = yield* Fiber.join(starting)
        assert.deepInclude(first, { content: words, isError: false })
        assert.strictEqual(heard[0], `Thread ${first.threadId}`)
        const second = yield* Effect.promise(() => reply(first.threadId ?? "", recall.text))
        assert.deepInclude(second, { content: JSON.stringify([say.key, recall.key]), threadId: first.threadId })
      }),
    )

    const questions = [
      {
        wish: "a command",
        make: (path: string) => ({ _tag: "Run", command: `touch ${path}` }) as const,
        actions: ["accept", "decline", "cancel"] as const,
      },
      {
        wish: "a file",
        make: (path: string) => ({ _tag: "Write", path, text: "made" }) as const,
        actions: ["accept", "decline"] as const,
      },
    ]
    for (const { actions, make, wish } of questions) {
      for (const action of actions) {
        if (!Breadth.isFull({ front }) && (wish !== "a command" || action !== "accept")) continue
        it.effect(`is asked for ${wish} and answers with a plain ${action}, and that is what happens`, () =>
          Effect.gen(function* () {
            const { asked, place, start } = yield* connect(() => ({ action }))
            const path = join(place.directory, `${action}-${make("")._tag}`)
            const answer = yield* Effect.promise(() => start(Wishes.prompt(make(path)).text))
            assert.match(answer.content, /^Told: /)
            assert.isFalse(answer.isError)
            assert.strictEqual(asked.length, 1)
            assert.include(asked[0]?.message, path)
            assert.strictEqual(existsSync(path), action === "accept")
          }),
        )
      }
    }

    it.effect("interrupts a turn and goes on with the thread", () =>
      Effect.gen(function* () {
        const { place, reply, start } = yield* connect()
        const say = Wishes.prompt({ _tag: "Say", text: "hello" })
        const hang = Wishes.prompt({ _tag: "Hang" })
        const recall = Wishes.prompt({ _tag: "Recall" })
        const { threadId = "" } = yield* Effect.promise(() => start(say.text))
        const patience = new AbortController()
        const hanging = reply(threadId, hang.text, patience.signal).then(
          () => "answered",
          () => "given up",
        )
        const asked = yield* place.model.awaitRequest((request) => Wishes.keysOf(request).at(-1) === hang.key)
        patience.abort()
        assert.strictEqual(yield* Effect.promise(() => hanging), "given up")
        const answer = yield* Effect.promise(() => reply(threadId, recall.text))
        yield* place.model.awaitGone(asked)
        const keys = JSON.parse(answer.content) as ReadonlyArray<string>
        assert.includeMembers([...keys], [say.key, recall.key])
      }),
    )
  })
})
