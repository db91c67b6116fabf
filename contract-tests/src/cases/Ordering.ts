/** Cases about concurrent executes. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { casesOf } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"
import * as HeldTurn from "../HeldTurn.ts"
import { recall } from "../Recall.ts"

export const ordering = casesOf({
  "order.fifo": {
    title: "executes of one session MUST run in the order of the calls, each with its own answer",
    verifies: ["rule-4.fifo", "rule-6.continues"],
    *run({ client, open, prompt }) {
      const session = yield* open
      const prompts = [1, 2, 3, 4].map((turn) => prompt({ _tag: "Say", text: `turn ${turn}` }))
      const answered: Array<string> = []
      const fibers = yield* Effect.forEach(prompts, ({ content, key }) =>
        Effect.forkChild(
          Effect.tap(client.execute(session, { content }), () => Effect.sync(() => answered.push(key))),
          { startImmediately: true },
        ),
      )
      const answers = yield* Fiber.joinAll(fibers)
      const keys = prompts.map(({ key }) => key)
      yield* Expect.equal(
        answers.map(({ content }) => content),
        ["turn 1", "turn 2", "turn 3", "turn 4"],
        "The answers",
      )
      yield* Expect.equal(answered, keys, "The order of the answers")
      yield* Expect.equal(yield* recall(session), keys, "The prompts that the agent remembers, in order,")
    },
  },
  "order.one-at-a-time": {
    title: "an `execute` MUST wait until the one before it has ended",
    verifies: ["rule-4.fifo", "rule-5.conversation-lost"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      const [session, other] = [yield* open, yield* open]
      const held = yield* HeldTurn.hold(session)
      const next = prompt({ _tag: "Say", text: "next" })
      const waiting = yield* HeldTurn.start(session, next)
      // A whole turn of another session gives the waiting one time to start.
      yield* client.execute(other, { content: prompt({ _tag: "Say", text: "meanwhile" }).content })
      yield* Expect.equal(yield* peer.count(next.key), 0, "How often the waiting prompt reached the agent")
      yield* Fiber.interrupt(held.fiber)
      const exit = yield* Fiber.await(waiting)
      if (client.supports.cancelKeepsConversation) {
        yield* Expect.equal(
          Exit.map(exit, ({ content }) => content),
          Exit.succeed("next"),
          "How the waiting execute ended",
        )
      } else {
        yield* Expect.failed(exit, "SessionClosed", { reason: "conversation-lost", delivery: "not-sent" })
      }
    },
  },
  "order.queue": {
    title: "waiting executes MUST start in the order of the calls",
    verifies: ["rule-4.fifo"],
    needs: ["observe"],
    *run({ client, open, prompt }) {
      const session = yield* open
      const held = yield* HeldTurn.hold(session)
      const prompts = [1, 2, 3].map((turn) => prompt({ _tag: "Say", text: `turn ${turn}` }))
      const ended: Array<string> = []
      const fibers = yield* Effect.forEach(prompts, ({ content, key }) =>
        Effect.forkChild(
          Effect.onExit(client.execute(session, { content }), () => Effect.sync(() => void ended.push(key))),
          { startImmediately: true },
        ),
      )
      yield* Fiber.interrupt(held.fiber)
      const exits = yield* Effect.forEach(fibers, Fiber.await)
      const keys = prompts.map(({ key }) => key)
      yield* Expect.equal(ended, keys, "The order in which the executes ended")
      if (!client.supports.cancelKeepsConversation) {
        for (const exit of exits) yield* Expect.failed(exit, "SessionClosed", { reason: "conversation-lost" })
        return
      }
      const answers = exits.map(Exit.map(({ content }) => content))
      yield* Expect.equal(answers, ["turn 1", "turn 2", "turn 3"].map(Exit.succeed), "How the executes ended")
      const known = yield* recall(session)
      yield* Expect.equal(
        known.filter((key) => key !== held.key),
        keys,
        "The prompts that the agent remembers, in order,",
      )
    },
  },
  "order.sessions-apart": {
    title: "a session MUST answer while another one hangs",
    crossesWire: true,
    verifies: ["rule-4.parallel"],
    needs: ["observe"],
    *run({ client, open, prompt }) {
      const [busy, free] = [yield* open, yield* open]
      yield* HeldTurn.hold(busy)
      const answer = yield* client.execute(free, { content: prompt({ _tag: "Say", text: "free" }).content })
      yield* Expect.equal(answer.content, "free", "content")
    },
  },
  "order.memory-apart": {
    title: "sessions MUST NOT share a conversation, and closing one MUST NOT close another",
    verifies: ["rule-4.parallel"],
    *run({ client, open, prompt }) {
      const sessions = yield* Effect.all([open, open], { concurrency: "unbounded" })
      const asked = yield* Effect.forEach(
        sessions,
        (session, index) => {
          const { content, key } = prompt({ _tag: "Say", text: `to ${index}` })
          return Effect.as(client.execute(session, { content }), { session, key })
        },
        { concurrency: "unbounded" },
      )
      for (const { key, session } of asked) {
        yield* Expect.equal(yield* recall(session), [key], "The prompts that the agent remembers")
        yield* client.closeSession(session)
      }
    },
  },
})
