/** Cases about the events of a turn. */
import type { McpEvent } from "@zain/core/McpEvents"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { casesOf } from "../ContractCase.ts"
import * as EventRecording from "../EventRecording.ts"
import * as Expect from "../Expect.ts"
import * as HeldTurn from "../HeldTurn.ts"

const isPlace = ({ _tag }: McpEvent) => _tag === "TurnStarted" || _tag === "TurnCompleted"

const lastTurn = (events: ReadonlyArray<McpEvent>) => events.filter(({ turn }) => turn === events.at(-1)?.turn)

const count = 5

export const events = casesOf({
  "events.brackets": {
    title: "the events of a turn MUST start with `TurnStarted`, end with `TurnCompleted`, and have ascending numbers",
    verifies: ["rule-7.order"],
    *run({ client, open, prompt }) {
      const session = yield* open
      const recording = yield* EventRecording.start(session)
      const { content } = prompt({ _tag: "Events", count, text: "piece" })
      const { isError } = yield* client.execute(session, { content })
      yield* client.closeSession(session)
      yield* Expect.that(Exit.isSuccess(yield* recording.ended), "The stream of events must end with its session.")
      const turn = lastTurn(recording.events)
      yield* Expect.equal(
        turn.filter(isPlace).map(({ _tag }) => _tag),
        ["TurnStarted", "TurnCompleted"],
        "Start and end of the turn",
      )
      yield* Expect.that(turn[0]?._tag === "TurnStarted", "TurnStarted must come first.")
      const last = turn.at(-1)
      yield* Expect.that(last?._tag === "TurnCompleted", "TurnCompleted must come last.")
      yield* Expect.equal(last?._tag === "TurnCompleted" && last.isError, isError, "isError of TurnCompleted")
      for (const [index, event] of recording.events.entries()) {
        yield* Expect.equal(event.sessionId, session, "sessionId")
        const before = recording.events[index - 1]?.sequence ?? 0
        yield* Expect.that(event.sequence > before, `sequence must rise, and goes from ${before} to ${event.sequence}.`)
      }
    },
  },
  "events.all": {
    title: "a reader that does nothing but read MUST have received every event of a turn when `execute` returns",
    crossesWire: true,
    verifies: ["rule-7.order"],
    needs: ["events"],
    *run({ client, open, prompt }) {
      const session = yield* open
      const recording = yield* EventRecording.start(session)
      const { content } = prompt({ _tag: "Events", count, text: "piece" })
      const answer = yield* client.execute(session, { content })
      const turn = lastTurn(recording.events)
      yield* Expect.equal(turn.at(-1)?._tag, "TurnCompleted", "The last event at the time of the result")
      const pieces = turn.filter((event) => !isPlace(event))
      if (client.supports.streaming) {
        const text = pieces.map((event) => (event._tag === "TextDelta" ? event.text : "")).join("")
        yield* Expect.equal(text, answer.content, "The joined pieces")
      } else {
        yield* Expect.that(pieces.length >= count, `Expected at least ${count} events, but received ${pieces.length}.`)
      }
    },
  },
  "events.cancelled": {
    title: "the events of a cancelled turn MUST end with `TurnFailed`, reason `interrupted`",
    verifies: ["rule-5.cancel", "rule-7.order"],
    needs: ["observe"],
    *run({ client, open }) {
      const session = yield* open
      const recording = yield* EventRecording.start(session)
      const { fiber } = yield* HeldTurn.hold(session)
      yield* Fiber.interrupt(fiber)
      yield* client.closeSession(session)
      yield* recording.ended
      const last = recording.events.at(-1)
      yield* Expect.equal(last?._tag, "TurnFailed", "The last event")
      yield* Expect.equal(last?._tag === "TurnFailed" ? last.reason : undefined, "interrupted", "Its reason")
    },
  },
})
