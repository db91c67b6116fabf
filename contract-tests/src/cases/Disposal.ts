/** Cases about the end of the client's Scope. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Bench, casesOf } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"
import * as HeldTurn from "../HeldTurn.ts"

/** A client whose Scope the case closes. */
const disposable = Effect.gen(function* () {
  const { subject } = yield* Bench
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const client = yield* Scope.provide(subject.make, scope)
  return { client, open: client.openSession(subject.config), dispose: Scope.close(scope, Exit.void) }
})

export const disposal = casesOf({
  "disposal.closes-sessions": {
    title: "the end of the client's Scope MUST close every session",
    verifies: ["rule-8.disposal", "rule-1.closed"],
    *run({ prompt }) {
      const { client, dispose, open } = yield* disposable
      const sessions = [yield* open, yield* open]
      const { content } = prompt({ _tag: "Say", text: "hello" })
      for (const session of sessions) yield* client.execute(session, { content })
      yield* dispose
      for (const session of sessions) {
        yield* Expect.fails(client.execute(session, { content }), "SessionClosed", { delivery: "not-sent" })
        yield* Expect.fails(client.closeSession(session), "SessionClosed")
        yield* Expect.fails(Stream.runDrain(client.events(session)), "SessionClosed")
      }
    },
  },
  "disposal.ends-executes": {
    title: "the end of the client's Scope MUST end the running executes",
    verifies: ["rule-8.disposal", "rule-4.closing", "rule-5.ends"],
    needs: ["observe"],
    *run(bench) {
      const { client, dispose, open } = yield* disposable
      const session = yield* open
      const held = yield* Effect.provideService(HeldTurn.hold(session), Bench, { ...bench, client })
      yield* dispose
      yield* Expect.failed(yield* Fiber.await(held.fiber), "SessionClosed", { reason: "closed", delivery: "unknown" })
    },
  },
  "disposal.leaves-nothing": {
    title: "the end of the client's Scope MUST release everything",
    crossesWire: true,
    verifies: ["rule-8.disposal", "rule-3.released"],
    needs: ["leftovers", "observe"],
    *run(bench) {
      const before = yield* bench.peer.leftovers
      const { client, dispose, open } = yield* disposable
      const [, busy] = [yield* open, yield* open]
      yield* Effect.provideService(HeldTurn.hold(busy), Bench, { ...bench, client })
      yield* dispose
      yield* Expect.equal(yield* bench.peer.leftovers, before, "The resources that exist for sessions")
    },
  },
})
