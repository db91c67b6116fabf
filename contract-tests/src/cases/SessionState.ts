/** Cases about closed and unknown sessions. */
import * as McpSessionId from "@zain/core/McpSessionId"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Bench, casesOf } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"

const closed = { reason: "closed", delivery: "not-sent" } as const

/** Demands `SessionNotFound` from every operation with this id. */
const isUnknown = Effect.fnUntraced(function* (id: McpSessionId.McpSessionId) {
  const { client, prompt } = yield* Bench
  const { content } = prompt({ _tag: "Say", text: "no session" })
  yield* Expect.fails(client.execute(id, { content }), "SessionNotFound", { delivery: "not-sent" })
  yield* Expect.fails(client.closeSession(id), "SessionNotFound", { delivery: "not-sent" })
  yield* Expect.fails(Stream.runDrain(client.events(id)), "SessionNotFound", { delivery: "not-sent" })
})

export const sessionState = casesOf({
  "state.closed": {
    title: "`execute`, `closeSession` and `events` MUST fail with `SessionClosed` after `closeSession`, every time",
    verifies: ["2.4", "3.4", "1.5", "1.6", "rule-1.transition", "rule-1.closed", "port.errors"],
    *run({ client, open, prompt }) {
      const session = yield* open
      yield* client.execute(session, { content: prompt({ _tag: "Say", text: "hello" }).content })
      yield* client.closeSession(session)
      const late = prompt({ _tag: "Say", text: "too late" })
      for (const _again of [1, 2]) {
        yield* Expect.fails(client.execute(session, { content: late.content }), "SessionClosed", closed)
        yield* Expect.fails(client.closeSession(session), "SessionClosed", closed)
        yield* Expect.fails(Stream.runDrain(client.events(session)), "SessionClosed", closed)
      }
    },
  },
  "state.closed-unused": {
    title: "a session that was never used MUST close like any other",
    verifies: ["1.3", "rule-1.closed", "2.4", "3.4"],
    *run({ client, open, prompt }) {
      const session = yield* open
      yield* client.closeSession(session)
      const { content } = prompt({ _tag: "Say", text: "too late" })
      yield* Expect.fails(client.execute(session, { content }), "SessionClosed", closed)
    },
  },
  "state.unknown": {
    title: "`execute`, `closeSession` and `events` MUST fail with `SessionNotFound` for an id that was never opened",
    verifies: ["5.4", "rule-1.unknown", "port.errors"],
    *run() {
      yield* isUnknown(yield* McpSessionId.make)
      yield* isUnknown("not even a UUID" as McpSessionId.McpSessionId)
    },
  },
  "state.foreign": {
    title: "`execute`, `closeSession` and `events` MUST fail with `SessionNotFound` for another client's session",
    verifies: ["rule-1.unknown"],
    *run({ subject }) {
      const other = yield* subject.make
      yield* isUnknown(yield* other.openSession(subject.config))
    },
  },
})
