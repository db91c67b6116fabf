/** Cases about `deadline`, `idleTimeout` and `maxWaiting`. */
import * as Duration from "effect/Duration"
import * as Fiber from "effect/Fiber"
import { casesOf } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"
import * as HeldTurn from "../HeldTurn.ts"
import { recallOrLost } from "../Recall.ts"

const short = Duration.millis(60)

export const limits = casesOf({
  "limit.deadline": {
    title: "`execute` MUST fail with `deadline-exceeded` when the request's `deadline` passes",
    verifies: ["port.deadline", "rule-5.ends", "rule-5.conversation-lost", "port.delivery"],
    *run({ client, open, prompt }) {
      const session = yield* open
      yield* client.execute(session, { content: prompt({ _tag: "Say", text: "hello" }).content })
      const { content } = prompt({ _tag: "Hang" })
      yield* Expect.fails(client.execute(session, { content, deadline: short }), "ConnectionUnavailable", {
        reason: "deadline-exceeded",
        delivery: "unknown",
      })
      yield* recallOrLost(session, client.supports.cancelKeepsConversation)
    },
  },
  "limit.deadline-waiting": {
    title: "a `deadline` that passes while the request waits MUST give `delivery` not-sent",
    verifies: ["port.deadline", "port.delivery", "rule-4.fifo"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      yield* HeldTurn.hold(session)
      const late = prompt({ _tag: "Say", text: "late" })
      yield* Expect.fails(
        client.execute(session, { content: late.content, deadline: short }),
        "ConnectionUnavailable",
        {
          reason: "deadline-exceeded",
          delivery: "not-sent",
        },
      )
      yield* client.closeSession(session)
      yield* Expect.equal(yield* peer.count(late.key), 0, "How often the late prompt reached the agent")
    },
  },
  "limit.waiting": {
    title: "an `execute` beyond `maxWaiting` MUST fail with `rate-limited` immediately, and MUST NOT be sent",
    verifies: ["port.max-waiting", "port.delivery"],
    needs: ["observe"],
    *run({ client, peer, prompt, subject }) {
      const session = yield* client.openSession({ ...subject.config, maxWaiting: 2 })
      yield* HeldTurn.hold(session)
      const say = (text: string) => prompt({ _tag: "Say", text })
      const first = yield* HeldTurn.start(session, say("1"))
      yield* HeldTurn.start(session, say("2"))
      const refused = say("3")
      const isFull = Expect.fails(client.execute(session, { content: refused.content }), "ConnectionUnavailable", {
        reason: "rate-limited",
        delivery: "not-sent",
      })
      yield* isFull
      // A cancelled execute frees its place.
      yield* Fiber.interrupt(first)
      yield* HeldTurn.start(session, say("4"))
      yield* isFull
      yield* client.closeSession(session)
      yield* Expect.equal(yield* peer.count(refused.key), 0, "How often the refused prompt reached the agent")
    },
  },
  "limit.idle": {
    title: "a turn that is silent for `idleTimeout` MUST fail with `stalled`",
    verifies: ["port.idle", "rule-5.ends", "port.delivery"],
    *run({ client, prompt, subject }) {
      const session = yield* client.openSession({ ...subject.config, idleTimeout: short })
      const { content } = prompt({ _tag: "Hang" })
      yield* Expect.fails(client.execute(session, { content }), "ConnectionUnavailable", {
        reason: "stalled",
        delivery: "unknown",
      })
      yield* client.closeSession(session)
    },
  },
  "limit.idle-server-notified": {
    title: "the server MUST receive the cancel of a stalled turn",
    verifies: ["rule-5.server-notified"],
    needs: ["observe", "observe-cancel"],
    *run({ client, peer, prompt, subject }) {
      // If the limit passes before the prompt has reached the agent, there is nothing to cancel: tries again with a longer one.
      for (const factor of [1, 4, 16, 64, 256]) {
        const session = yield* client.openSession({ ...subject.config, idleTimeout: Duration.times(short, factor) })
        const { content, key } = prompt({ _tag: "Hang" })
        yield* Expect.fails(client.execute(session, { content }), "ConnectionUnavailable", { reason: "stalled" })
        if ((yield* peer.count(key)) > 0) return yield* peer.cancelled(key)
        yield* client.closeSession(session)
      }
      yield* Expect.violation("No prompt reached the agent before its turn was stalled.")
    },
  },
})
