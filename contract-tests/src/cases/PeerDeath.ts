/** Cases about a server that exits in the middle of a turn. */
import type { McpTransport } from "@zain/core/McpTransport"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { Bench, casesOf } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"
import * as HeldTurn from "../HeldTurn.ts"

/** Over stdio the exit of the process is observed; over HTTP a server may also return without this session. */
const reasonsOfDeath: Readonly<Record<McpTransport, ReadonlyArray<string>>> = {
  stdio: ["server-exited", "connection-lost"],
  "streamable-http": ["connection-lost", "session-expired"],
  sse: ["connection-lost"],
}

/** Demands the error of a turn whose server exited. */
const isLost = (exit: Exit.Exit<unknown, unknown>) =>
  Effect.flatMap(Bench, ({ subject }) =>
    Expect.failed(exit, "ConnectionUnavailable", {
      reason: reasonsOfDeath[subject.config.transport],
      delivery: "unknown",
    }),
  )

/**
 * Demands that the turn after it was not sent. Over Streamable HTTP only the call is known to have ended: if the agent
 * cannot continue after a turn of unknown outcome, the next one fails with `conversation-lost`; if it can, the next one may
 * be sent before the server reports that the session is gone.
 */
const isGone = (exit: Exit.Exit<unknown, unknown>) =>
  Effect.flatMap(Bench, ({ client, subject }) => {
    const isHttp = subject.config.transport === "streamable-http"
    return isHttp && !client.supports.cancelKeepsConversation
      ? Effect.asVoid(Expect.failed(exit, "SessionClosed", { reason: "conversation-lost", delivery: "not-sent" }))
      : Effect.asVoid(Expect.failed(exit, "ConnectionUnavailable", isHttp ? {} : { delivery: "not-sent" }))
  })

export const peerDeath = casesOf({
  "death.mid-turn": {
    title:
      "`execute` MUST fail with `ConnectionUnavailable` when the server exits in the turn, and `closeSession` MUST still succeed",
    crossesWire: true,
    verifies: ["2.3", "3.3", "rule-4.closing", "rule-5.ends", "rule-3.always-closed", "port.delivery", "port.errors"],
    needs: ["peer-death"],
    *run({ client, open, prompt }) {
      const session = yield* open
      yield* client.execute(session, { content: prompt({ _tag: "Say", text: "hello" }).content })
      const { content } = prompt({ _tag: "Exit" })
      yield* isLost(yield* Effect.exit(client.execute(session, { content })))
      for (const _again of [1, 2]) {
        const later = prompt({ _tag: "Say", text: "anybody there?" })
        yield* isGone(yield* Effect.exit(client.execute(session, { content: later.content })))
      }
      yield* client.closeSession(session)
      yield* Expect.fails(client.closeSession(session), "SessionClosed", { reason: "closed" })
    },
  },
  "death.waiting": {
    title: "an `execute` that waits while its server exits MUST fail immediately with `delivery` not-sent",
    verifies: ["rule-4.closing", "port.delivery"],
    needs: ["peer-death"],
    *run({ open, prompt }) {
      const session = yield* open
      const dying = yield* HeldTurn.start(session, prompt({ _tag: "Exit" }))
      const waiting = yield* HeldTurn.start(session, prompt({ _tag: "Say", text: "next" }))
      yield* isLost(yield* Fiber.await(dying))
      yield* isGone(yield* Fiber.await(waiting))
    },
  },
  "death.once": {
    title: "a prompt whose outcome is unknown MUST NOT be sent again",
    verifies: ["rule-6.once"],
    needs: ["peer-death", "observe"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      const { content, key } = prompt({ _tag: "Exit" })
      yield* isLost(yield* Effect.exit(client.execute(session, { content })))
      yield* client.closeSession(session)
      // The server may serve every session, and may be restarting.
      const other = yield* Effect.retry(open, { schedule: Schedule.spaced("50 millis"), times: 600 })
      yield* client.execute(other, { content: prompt({ _tag: "Say", text: "meanwhile" }).content })
      yield* Expect.equal(yield* peer.count(key), 1, "How often the prompt reached the agent")
    },
  },
  "death.leaves-nothing": {
    title: "`closeSession` MUST release everything after the server has exited",
    crossesWire: true,
    verifies: ["rule-3.released", "rule-3.always-closed"],
    needs: ["peer-death", "leftovers"],
    *run({ client, open, peer, prompt }) {
      const before = yield* peer.leftovers
      const session = yield* open
      const { content } = prompt({ _tag: "Exit" })
      yield* isLost(yield* Effect.exit(client.execute(session, { content })))
      yield* client.closeSession(session)
      yield* Expect.equal(yield* peer.leftovers, before, "The resources that exist for sessions")
    },
  },
})
