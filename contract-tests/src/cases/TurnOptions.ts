/** Cases about `providerOptions` of a request. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Bench, casesOf } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"
import * as HeldTurn from "../HeldTurn.ts"

/** The options of the subject; `undefined` for a client that takes none. */
const given = Effect.gen(function* () {
  const { client, subject } = yield* Bench
  if (client.supports.turnOptions !== true) return undefined
  return (
    subject.turn ??
    (yield* Expect.violation("`supports.turnOptions` is true, so the subject must have `turn`: options of one turn."))
  )
})

/** Demands how many of the prompts that reach the agent meanwhile have the options. */
const seenIn = Effect.fnUntraced(function* <A, E, R>(what: string, count: number, turn: Effect.Effect<A, E, R>) {
  const { peer } = yield* Bench
  const { seen = "" } = (yield* given) ?? {}
  const before = yield* peer.count(seen)
  yield* Effect.exit(turn)
  yield* Expect.equal((yield* peer.count(seen)) - before, count, `The prompts with the options of one turn, ${what}`)
})

export const turnOptions = casesOf({
  "options.once": {
    title:
      "options of one turn MUST reach the agent, and MUST NOT hold for the next turn, whatever the end of the first, or be `not-supported` before anything is sent",
    crossesWire: true,
    verifies: ["turn.options"],
    needs: ["observe", "turn-failure"],
    *run({ client, open, peer, prompt }) {
      const turn = yield* given
      const session = yield* open
      const providerOptions = turn?.options ?? { model: "another" }
      if (turn === undefined) {
        const { content, key } = prompt({ _tag: "Say", text: "refused" })
        const refused = client.execute(session, { content, providerOptions })
        yield* Expect.fails(refused, "InvalidRequest", { reason: "not-supported", delivery: "not-sent" })
        yield* Expect.equal(yield* peer.count(key), 0, "The prompts that were sent")
        return
      }
      const ask = (directive: Parameters<typeof prompt>[0], isOther: boolean) =>
        client.execute(session, { content: prompt(directive).content, ...(isOther ? { providerOptions } : {}) })
      yield* seenIn("before them", 0, ask({ _tag: "Say", text: "plain" }, false))
      yield* seenIn("with them", 1, ask({ _tag: "Say", text: "other" }, true))
      yield* seenIn("after a turn with them", 0, ask({ _tag: "Say", text: "plain" }, false))
      yield* seenIn("in a turn that fails", 1, ask({ _tag: "Fail", reason: "as asked" }, true))
      yield* seenIn("after a turn that failed", 0, ask({ _tag: "Say", text: "plain" }, false))
      const { fiber } = yield* HeldTurn.hold(session, { providerOptions })
      yield* Fiber.interrupt(fiber)
      yield* seenIn("after a cancelled turn", 0, ask({ _tag: "Say", text: "plain" }, false))
    },
  },
  "options.resumed": {
    title: "options of a turn whose server exits MUST NOT hold in a session that continues its conversation",
    crossesWire: true,
    verifies: ["turn.options"],
    needs: ["observe", "peer-death", "resume"],
    *run({ client, open, prompt, subject }) {
      const turn = yield* given
      if (turn === undefined) return
      const session = yield* open
      const { threadId = "" } = yield* client.execute(session, {
        content: prompt({ _tag: "Say", text: "first" }).content,
      })
      const { content } = prompt({ _tag: "Exit" })
      yield* seenIn("in the last turn", 1, client.execute(session, { content, providerOptions: turn.options }))
      yield* client.closeSession(session)
      const later = yield* client.openSession(subject.resume?.(threadId) ?? subject.config)
      const again = prompt({ _tag: "Say", text: "again" })
      yield* seenIn("in a later session", 0, client.execute(later, { content: again.content }))
    },
  },
  "options.refused": {
    title:
      "an option that the agent does not have MUST be `not-supported`, and a wrong or a wider one `invalid-config`, before anything is sent",
    verifies: ["turn.options"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      const turn = yield* given
      const session = yield* open
      const reasons: ReadonlyArray<readonly [options: unknown, reason: string]> = [
        ["no object", "invalid-config"],
        [{ noSuchOption: true }, "not-supported"],
        ...(turn === undefined
          ? []
          : ([
              [{ model: 3 }, "invalid-config"],
              [turn.wider, "invalid-config"],
            ] as const)),
      ]
      for (const [options, reason] of reasons) {
        const { content, key } = prompt({ _tag: "Say", text: "refused" })
        const refused = client.execute(session, { content, providerOptions: options as object })
        yield* Expect.fails(refused, "InvalidRequest", { reason, delivery: "not-sent" })
        yield* Expect.equal(yield* peer.count(key), 0, `The prompts with ${JSON.stringify(options)}`)
      }
      yield* client.execute(session, { content: prompt({ _tag: "Say", text: "after all" }).content })
    },
  },
})
