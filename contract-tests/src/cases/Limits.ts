/** Cases about turns that take too long. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Bench, type ContractCase } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"
import * as HeldTurn from "../HeldTurn.ts"
import { recall } from "../Recall.ts"

const short = Duration.millis(60)

/** Demands that a session that was cut short tells the truth about its conversation. */
const goesOnOrIsLost = (session: Parameters<typeof recall>[0]) =>
  Effect.flatMap(Bench, ({ client }) =>
    client.supports.cancelKeepsConversation
      ? Effect.asVoid(recall(session))
      : Effect.asVoid(
          Expect.fails(recall(session), "SessionClosed", { reason: "conversation-lost", delivery: "not-sent" }),
        ),
  )

export const limits: ReadonlyArray<ContractCase> = [
  {
    id: "limit.deadline",
    title: "a request's deadline ends it as deadline-exceeded",
    verifies: ["port.deadline", "rule-5.ends", "rule-5.conversation-lost", "port.delivery"],
    run: Effect.gen(function* () {
      const { client, open, prompt } = yield* Bench
      const session = yield* open
      yield* client.execute(session, { content: prompt({ _tag: "Say", text: "hello" }).content })
      const { content } = prompt({ _tag: "Hang" })
      yield* Expect.fails(client.execute(session, { content, deadline: short }), "ConnectionUnavailable", {
        reason: "deadline-exceeded",
        delivery: "unknown",
      })
      yield* goesOnOrIsLost(session)
    }),
  },
  {
    id: "limit.deadline-waiting",
    title: "a deadline that passes while a request waits says that it was not sent",
    verifies: ["port.deadline", "port.delivery", "rule-4.fifo"],
    needs: ["observe"],
    run: Effect.gen(function* () {
      const { client, open, peer, prompt } = yield* Bench
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
      yield* Expect.equal(yield* peer.count(late.key), 0, "How often the late prompt arrived")
    }),
  },
  {
    id: "limit.waiting",
    title: "one execute more than may wait is rate-limited at once, and was not sent",
    verifies: ["port.max-waiting", "port.delivery"],
    needs: ["observe"],
    run: Effect.gen(function* () {
      const { client, peer, prompt, subject } = yield* Bench
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
      // Whoever gives up makes room for one.
      yield* Fiber.interrupt(first)
      yield* HeldTurn.start(session, say("4"))
      yield* isFull
      yield* client.closeSession(session)
      yield* Expect.equal(yield* peer.count(refused.key), 0, "How often the refused prompt arrived")
    }),
  },
  {
    id: "limit.idle",
    title: "a turn that goes silent is stalled",
    verifies: ["port.idle", "rule-5.ends", "port.delivery"],
    run: Effect.gen(function* () {
      const { client, prompt, subject } = yield* Bench
      const session = yield* client.openSession({ ...subject.config, idleTimeout: short })
      const { content } = prompt({ _tag: "Hang" })
      yield* Expect.fails(client.execute(session, { content }), "ConnectionUnavailable", {
        reason: "stalled",
        delivery: "unknown",
      })
      yield* client.closeSession(session)
    }),
  },
  {
    id: "limit.idle-server-told",
    title: "the server is told that a stalled turn is no longer wanted",
    verifies: ["rule-5.server-told"],
    needs: ["observe", "observe-cancel"],
    run: Effect.gen(function* () {
      const { client, peer, prompt, subject } = yield* Bench
      // A limit that passes before the agent has the prompt leaves nothing to tell: then with a longer one.
      for (const factor of [1, 4, 16, 64]) {
        const session = yield* client.openSession({ ...subject.config, idleTimeout: Duration.times(short, factor) })
        const { content, key } = prompt({ _tag: "Hang" })
        yield* Expect.fails(client.execute(session, { content }), "ConnectionUnavailable", { reason: "stalled" })
        if ((yield* peer.count(key)) > 0) return yield* peer.cancelled(key)
        yield* client.closeSession(session)
      }
      yield* Expect.violation("No prompt arrived before its turn was given up.")
    }),
  },
]
