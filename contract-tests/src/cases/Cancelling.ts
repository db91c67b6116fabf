/** Cases about an `execute` that is given up. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { Bench, type ContractCase } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"
import * as HeldTurn from "../HeldTurn.ts"
import { recall } from "../Recall.ts"

/** Gives a turn up, and demands that it says so and nothing else. */
const giveUp = (fiber: HeldTurn.HeldTurn["fiber"]) =>
  Effect.gen(function* () {
    yield* Fiber.interrupt(fiber)
    const exit = yield* Fiber.await(fiber)
    yield* Expect.that(
      Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause),
      `A cancelled execute must end as interrupted, and ended with ${Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "an answer"}`,
    )
  })

export const cancelling: ReadonlyArray<ContractCase> = [
  {
    id: "cancel.in-flight",
    title: "a cancelled execute ends, and is not reported as a timeout",
    verifies: ["rule-5.ends", "rule-5.cancel"],
    needs: ["observe"],
    run: Effect.gen(function* () {
      const { open } = yield* Bench
      const { fiber } = yield* HeldTurn.hold(yield* open)
      yield* giveUp(fiber)
    }),
  },
  {
    id: "cancel.server-told",
    title: "the server is told of a cancelled execute",
    crossesWire: true,
    verifies: ["rule-5.server-told"],
    needs: ["observe", "observe-cancel"],
    run: Effect.gen(function* () {
      const { open, peer } = yield* Bench
      const { fiber, key } = yield* HeldTurn.hold(yield* open)
      yield* giveUp(fiber)
      yield* peer.cancelled(key)
    }),
  },
  {
    id: "cancel.conversation",
    title: "after a cancel the conversation goes on, or the session says that it is lost",
    crossesWire: true,
    verifies: ["rule-5.conversation-lost", "rule-6.continues"],
    needs: ["observe"],
    run: Effect.gen(function* () {
      const { client, open, prompt } = yield* Bench
      const session = yield* open
      const first = prompt({ _tag: "Say", text: "remember me" })
      yield* client.execute(session, { content: first.content })
      const { fiber, key } = yield* HeldTurn.hold(session)
      yield* giveUp(fiber)
      if (client.supports.cancelKeepsConversation) {
        const known = yield* recall(session)
        yield* Expect.equal(
          known.filter((one) => one !== key),
          [first.key],
          "What the agent remembers beside the cancelled prompt",
        )
      } else {
        for (const _again of [1, 2]) {
          yield* Expect.fails(recall(session), "SessionClosed", { reason: "conversation-lost", delivery: "not-sent" })
        }
      }
      yield* client.closeSession(session)
    }),
  },
  {
    id: "cancel.first-turn",
    title: "a conversation whose first turn was cancelled goes on, or is lost",
    verifies: ["rule-5.conversation-lost"],
    needs: ["observe"],
    run: Effect.gen(function* () {
      const { client, open } = yield* Bench
      const session = yield* open
      const { fiber, key } = yield* HeldTurn.hold(session)
      yield* giveUp(fiber)
      if (client.supports.cancelKeepsConversation) {
        const known = yield* recall(session)
        yield* Expect.that(
          known.every((one) => one === key),
          "The agent must remember nothing but the cancelled prompt.",
        )
      } else {
        yield* Expect.fails(recall(session), "SessionClosed", { reason: "conversation-lost", delivery: "not-sent" })
      }
    }),
  },
  {
    id: "cancel.waiting",
    title: "an execute that is cancelled while it waits is never sent",
    verifies: ["rule-5.cancel", "rule-4.fifo", "rule-6.once"],
    needs: ["observe"],
    run: Effect.gen(function* () {
      const { client, open, peer, prompt } = yield* Bench
      const [session, other] = [yield* open, yield* open]
      const held = yield* HeldTurn.hold(session)
      const unwanted = prompt({ _tag: "Say", text: "unwanted" })
      yield* giveUp(yield* HeldTurn.start(session, unwanted))
      yield* giveUp(held.fiber)
      if (client.supports.cancelKeepsConversation) {
        const known = yield* recall(session)
        yield* Expect.that(
          !known.includes(unwanted.key),
          "The agent must not know a prompt that was cancelled waiting.",
        )
      }
      yield* client.closeSession(session)
      yield* client.execute(other, { content: prompt({ _tag: "Say", text: "meanwhile" }).content })
      yield* Expect.equal(yield* peer.count(unwanted.key), 0, "How often the cancelled prompt arrived")
    }),
  },
]
