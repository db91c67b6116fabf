/** Cases about `closeSession` while turns run or wait. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { casesOf } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"
import * as HeldTurn from "../HeldTurn.ts"

export const closing = casesOf({
  "close.leaves-nothing": {
    title: "`closeSession` MUST release everything before it returns, also in the middle of a turn",
    crossesWire: true,
    verifies: ["rule-3.released", "1.3"],
    needs: ["leftovers", "observe"],
    *run({ client, open, peer, prompt }) {
      const before = yield* peer.leftovers
      const [unused, used, busy] = [yield* open, yield* open, yield* open]
      yield* client.execute(used, { content: prompt({ _tag: "Say", text: "hello" }).content })
      yield* HeldTurn.hold(busy)
      for (const session of [unused, used, busy]) yield* client.closeSession(session)
      yield* Expect.equal(yield* peer.leftovers, before, "The resources that exist for sessions")
    },
  },
  "close.ends-executes": {
    title: "`closeSession` MUST end running and waiting executes, each with the right `delivery`",
    verifies: ["rule-4.closing", "rule-3.always-closed", "rule-5.ends", "port.delivery"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      const held = yield* HeldTurn.hold(session)
      const next = prompt({ _tag: "Say", text: "next" })
      const waiting = yield* HeldTurn.start(session, next)
      const close = yield* Effect.forkChild(client.closeSession(session), { startImmediately: true })
      const [underWay, unsent] = [yield* Fiber.await(held.fiber), yield* Fiber.await(waiting)]
      yield* Expect.failed(underWay, "SessionClosed", { reason: "closed", delivery: "unknown" })
      yield* Expect.failed(unsent, "SessionClosed", { reason: "closed", delivery: "not-sent" })
      yield* Fiber.join(close)
      yield* Expect.equal(yield* peer.count(next.key), 0, "How often the waiting prompt reached the agent")
    },
  },
  "close.at-once": {
    title: "of two concurrent `closeSession` calls one MUST succeed, and the other MUST fail with `SessionClosed`",
    verifies: ["rule-1.closed", "rule-1.transition"],
    *run({ client, open }) {
      const session = yield* open
      const close = Effect.exit(client.closeSession(session))
      const exits = yield* Effect.all([close, close], { concurrency: "unbounded" })
      const [second, ...others] = exits.filter(Exit.isFailure)
      yield* Expect.equal(
        others.length + (second === undefined ? 2 : 0),
        0,
        "The number of executes that ended in another way",
      )
      if (second !== undefined) yield* Expect.failed(second, "SessionClosed", { reason: "closed" })
    },
  },
})
