/** Cases about an `execute` that is cancelled. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { casesOf } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"
import * as HeldTurn from "../HeldTurn.ts"
import { recall, recallOrLost } from "../Recall.ts"

/** Interrupts a turn, and demands that it ends as interrupted. */
const giveUp = Effect.fnUntraced(function* (fiber: HeldTurn.HeldTurn["fiber"]) {
  yield* Fiber.interrupt(fiber)
  const exit = yield* Fiber.await(fiber)
  yield* Expect.that(
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause),
    `A cancelled execute must end as interrupted, and ended with ${Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "an answer"}`,
  )
})

export const cancelling = casesOf({
  "cancel.in-flight": {
    title: "a cancelled `execute` MUST end, and MUST NOT be reported as a timeout",
    verifies: ["rule-5.ends", "rule-5.cancel"],
    needs: ["observe"],
    *run({ open }) {
      const { fiber } = yield* HeldTurn.hold(yield* open)
      yield* giveUp(fiber)
    },
  },
  "cancel.server-notified": {
    title: "the server MUST receive the cancel of an `execute`",
    crossesWire: true,
    verifies: ["rule-5.server-notified"],
    needs: ["observe", "observe-cancel"],
    *run({ open, peer }) {
      const { fiber, key } = yield* HeldTurn.hold(yield* open)
      yield* giveUp(fiber)
      yield* peer.cancelled(key)
    },
  },
  "cancel.conversation": {
    title: "the conversation MUST continue after a cancel, or the session MUST fail with `conversation-lost`",
    crossesWire: true,
    verifies: ["rule-5.conversation-lost", "rule-6.continues"],
    needs: ["observe"],
    *run({ client, open, prompt }) {
      const session = yield* open
      const first = prompt({ _tag: "Say", text: "remember me" })
      yield* client.execute(session, { content: first.content })
      const { fiber, key } = yield* HeldTurn.hold(session)
      yield* giveUp(fiber)
      const known = yield* recallOrLost(session, client.supports.cancelKeepsConversation)
      const rest = known?.filter((one) => one !== key) ?? [first.key]
      yield* Expect.equal(rest, [first.key], "The prompts that the agent remembers, without the cancelled one")
      yield* client.closeSession(session)
    },
  },
  "cancel.first-turn": {
    title: "a conversation whose first turn was cancelled MUST continue or fail with `conversation-lost`",
    verifies: ["rule-5.conversation-lost"],
    needs: ["observe"],
    *run({ client, open }) {
      const session = yield* open
      const { fiber, key } = yield* HeldTurn.hold(session)
      yield* giveUp(fiber)
      const known = yield* recallOrLost(session, client.supports.cancelKeepsConversation)
      const isAlone = known?.every((one) => one === key) !== false
      yield* Expect.that(isAlone, "The agent must remember nothing but the cancelled prompt.")
    },
  },
  "cancel.waiting": {
    title: "an `execute` that is cancelled while it waits for its turn MUST NOT be sent",
    verifies: ["rule-5.cancel", "rule-4.fifo", "rule-6.once"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      const [session, other] = [yield* open, yield* open]
      const held = yield* HeldTurn.hold(session)
      const unwanted = prompt({ _tag: "Say", text: "unwanted" })
      yield* giveUp(yield* HeldTurn.start(session, unwanted))
      yield* giveUp(held.fiber)
      if (client.supports.cancelKeepsConversation) {
        const known = yield* recall(session)
        yield* Expect.that(
          !known.includes(unwanted.key),
          "The agent must not remember a prompt that was cancelled while it waited.",
        )
      }
      yield* client.closeSession(session)
      yield* client.execute(other, { content: prompt({ _tag: "Say", text: "meanwhile" }).content })
      yield* Expect.equal(yield* peer.count(unwanted.key), 0, "How often the cancelled prompt reached the agent")
    },
  },
})
