/** Cases about `stream`: the events of one turn, and then its answer. */
import type { McpStreamed } from "@zain/core/McpEvents"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { casesOf } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"

/** The pieces up to the end of a stream, which may be a failure. */
const collect = <E>(stream: Stream.Stream<McpStreamed, E>) =>
  Effect.gen(function* () {
    const pieces: Array<McpStreamed> = []
    const exit = yield* Effect.exit(Stream.runForEach(stream, (piece) => Effect.sync(() => void pieces.push(piece))))
    return { pieces, exit, tags: pieces.map(({ _tag }) => _tag) }
  })

const turnsOf = (pieces: ReadonlyArray<McpStreamed>) => [
  ...new Set(pieces.flatMap((piece) => (piece._tag === "Response" ? [] : [piece.turn]))),
]

const count = 5

export const streaming = casesOf({
  "stream.turn": {
    title: "`stream` MUST emit every event of its turn in order, and then the answer",
    verifies: ["turn.stream"],
    needs: ["events"],
    *run({ client, open, prompt }) {
      const session = yield* open
      const { content } = prompt({ _tag: "Events", count, text: "piece" })
      const { exit, pieces, tags } = yield* collect(client.stream(session, { content }))
      yield* Expect.that(Exit.isSuccess(exit), "The stream must end without a failure.")
      yield* Expect.equal([tags[0], ...tags.slice(-2)], ["TurnStarted", "TurnCompleted", "Response"], "Its ends")
      yield* Expect.equal(turnsOf(pieces).length, 1, "The number of turns")
      const last = pieces.at(-1)
      const answer = last?._tag === "Response" ? last.response : undefined
      yield* Expect.that(answer?.isError === false && answer.content !== "", "The answer must have a text.")
      if (client.supports.streaming) {
        const text = pieces.map((piece) => (piece._tag === "TextDelta" ? piece.text : "")).join("")
        yield* Expect.equal(text, answer?.content, "The joined pieces")
      } else {
        yield* Expect.that(tags.length >= count + 3, `Expected at least ${count} events within the turn.`)
      }
    },
  },
  "stream.alone": {
    title: "`stream` MUST emit no event of another turn, and MUST wait for its turn like `execute`",
    verifies: ["turn.stream", "rule-4.fifo"],
    *run({ client, open, prompt }) {
      const session = yield* open
      const say = (text: string) => client.stream(session, { content: prompt({ _tag: "Say", text }).content })
      const streams = yield* Effect.all([collect(say("one")), collect(say("two"))], { concurrency: 2 })
      yield* Expect.equal(
        streams.map(({ pieces }) => turnsOf(pieces)),
        [[1], [2]],
        "The turns of two streams",
      )
      yield* Expect.equal(
        streams.map(({ pieces }) =>
          pieces.flatMap((piece) => (piece._tag === "Response" ? piece.response.content : [])),
        ),
        [["one"], ["two"]],
        "Their answers",
      )
    },
  },
  "stream.left": {
    title: "a `stream` that its reader leaves MUST cancel its turn, here and on the server",
    verifies: ["turn.stream", "rule-5.server-notified"],
    needs: ["observe", "observe-cancel"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      const hang = prompt({ _tag: "Hang" })
      const begun = Stream.takeUntil(
        client.stream(session, { content: hang.content }),
        ({ _tag }) => _tag === "TurnStarted",
      )
      // The reader stays at the first event until the prompt has arrived.
      yield* Stream.runForEach(begun, () => peer.received(hang.key))
      yield* peer.cancelled(hang.key)
    },
  },
  "stream.interrupted": {
    title: "an interrupted `stream` MUST cancel its turn",
    verifies: ["turn.stream", "rule-5.server-notified"],
    needs: ["observe", "observe-cancel"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      const hang = prompt({ _tag: "Hang" })
      const fiber = yield* Effect.forkChild(Stream.runDrain(client.stream(session, { content: hang.content })), {
        startImmediately: true,
      })
      yield* peer.received(hang.key)
      yield* Fiber.interrupt(fiber)
      yield* peer.cancelled(hang.key)
    },
  },
  "stream.fails": {
    title: "`stream` MUST fail as `execute` does: before an event where nothing was sent, else after `TurnFailed`",
    verifies: ["turn.stream"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      const empty = yield* collect(client.stream(session, { content: "" }))
      yield* Expect.failed(empty.exit, "InvalidRequest", { reason: "empty-content", delivery: "not-sent" })
      const hang = prompt({ _tag: "Hang" })
      const fiber = yield* Effect.forkChild(collect(client.stream(session, { content: hang.content })), {
        startImmediately: true,
      })
      yield* peer.received(hang.key)
      yield* client.closeSession(session)
      const { exit, tags } = yield* Fiber.join(fiber)
      yield* Expect.failed(exit, "SessionClosed", { reason: "closed", delivery: "unknown" })
      yield* Expect.equal([tags[0], tags.at(-1)], ["TurnStarted", "TurnFailed"], "The ends of the turn")
      const late = yield* collect(client.stream(session, { content: "late" }))
      yield* Expect.failed(late.exit, "SessionClosed", { reason: "closed", delivery: "not-sent" })
      yield* Expect.equal([...empty.tags, ...late.tags], [], "Events of turns that have not begun")
    },
  },
})
