import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import type { McpApproval, McpEvents } from "@zain/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { pairs, Subject, subject } from "../src/AgentServers.ts"
import * as Breadth from "../src/Breadth.ts"
import * as OwnClient from "../src/OwnClient.ts"
import * as Wishes from "../src/Wishes.ts"

const open = (approvals?: McpApproval.Options) =>
  Effect.gen(function* () {
    const { place, way } = yield* Subject
    const client = yield* OwnClient.adapter(place.agent, approvals)
    const session = yield* client.openSession(OwnClient.config(place, way))
    const ask = (wish: Wishes.Wish) => {
      const { key, text } = Wishes.prompt(wish)
      return Effect.map(OwnClient.ask(client, session, text), (answer) => ({ ...answer, key }))
    }
    return { place, client, session, ask }
  })

const text = (events: ReadonlyArray<McpEvents.McpEvent>) =>
  events.flatMap((event) => (event._tag === "TextDelta" ? [event.text] : []))

const tags = (events: ReadonlyArray<McpEvents.McpEvent>, wanted: RegExp) =>
  events.map(({ _tag }) => _tag).filter((tag) => wanted.test(tag))

describe.each(pairs.filter(Breadth.isFull))("our own port and the real $agent over $front", ({ agent, front }) => {
  layer(subject(agent, front), { excludeTestServices: true })((it) => {
    it.effect("takes two turns, streams their text, remembers, and tells what they used", () =>
      Effect.gen(function* () {
        const { ask } = yield* open()
        const words = "one two three four "
        const first = yield* ask({ _tag: "Say", text: words, chunks: 4 })
        assert.deepInclude(first, { content: words, isError: false, provider: agent })
        assert.strictEqual(text(first.events).join(""), words)
        assert.isAbove(text(first.events).length, 1)
        assert.isAbove(first.usage?.inputTokens ?? 0, 0)
        const second = yield* ask({ _tag: "Recall" })
        assert.strictEqual(second.content, JSON.stringify([first.key, second.key]))
      }),
    )

    const questions = [
      { kind: "command", make: (path: string) => ({ _tag: "Run", command: `touch ${path}` }) as const },
      { kind: "file-change", make: (path: string) => ({ _tag: "Write", path, text: "made" }) as const },
    ] as const
    for (const { kind, make } of questions) {
      for (const answer of ["approve", "decline"] as const) {
        it.effect(`asks the policy for a ${kind}, which says ${answer}, and tells of the tool`, () =>
          Effect.gen(function* () {
            const log: Array<McpApproval.McpApprovalEntry> = []
            const asking = open({ rules: [{ kind, answer }], log: (entry) => void log.push(entry) })
            const { ask, place } = yield* asking
            const path = join(place.directory, `own-${answer}-${kind}`)
            const { content, events, isError } = yield* ask(make(path))
            assert.strictEqual(existsSync(path), answer === "approve")
            assert.match(content, /^Told: /)
            assert.isFalse(isError)
            assert.deepStrictEqual(
              log.map(({ by, decision, request }) => [by, decision._tag, request.kind]),
              [["rule", answer === "approve" ? "Approve" : "Decline", kind]],
            )
            const { command, paths = [] } = log[0]?.request ?? {}
            assert.include(kind === "command" ? command : paths.join(), path)
            assert.deepStrictEqual(tags(events, /^(Approval|Tool)/), [
              "ToolStarted",
              "ApprovalAsked",
              "ApprovalDecided",
              "ToolFinished",
            ])
            const finished = events.find(({ _tag }) => _tag === "ToolFinished")
            assert.deepInclude(finished, { isError: answer === "decline" })
          }),
        )
      }
    }

    it.effect("declines by itself where nobody gave it a policy, and the turn goes on", () =>
      Effect.gen(function* () {
        const { ask, place } = yield* open()
        const path = join(place.directory, "own-default")
        const { content, isError } = yield* ask({ _tag: "Run", command: `touch ${path}` })
        assert.match(content, /^Told: /)
        assert.isFalse(isError)
        assert.isFalse(existsSync(path))
      }),
    )

    it.effect("interrupts its first turn, and goes on with the same conversation", () =>
      Effect.gen(function* () {
        const { ask, client, place, session } = yield* open()
        const hang = Wishes.prompt({ _tag: "Hang" })
        const started = client.events(session).pipe(
          Stream.takeUntil(({ _tag }) => _tag === "ThreadStarted"),
          Stream.runDrain,
        )
        const begun = yield* Effect.forkChild(started, { startImmediately: true })
        const hanging = yield* Effect.forkChild(client.execute(session, { content: hang.text }))
        const asked = yield* place.model.awaitRequest((request) => Wishes.keysOf(request).includes(hang.key))
        // A first turn that is given up before leaves no conversation to go on with (promise 31).
        yield* Fiber.join(begun)
        yield* Fiber.interrupt(hanging)
        const { content, key } = yield* ask({ _tag: "Recall" })
        yield* place.model.awaitGone(asked)
        assert.deepStrictEqual(JSON.parse(content), [hang.key, key])
      }),
    )
  })
})
