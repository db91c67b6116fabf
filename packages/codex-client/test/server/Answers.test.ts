/** Which of Codex's messages is the answer, and that each is emitted once (promise 34). */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { item, listener, script, thread, tokens } from "../../testing/server/Codex.ts"

const delta = (itemId: string, piece: string) => ({
  event: "item/agentMessage/delta",
  params: { itemId, delta: piece },
})
const message = (id: string, text: string, more: object = {}) =>
  item("completed", { type: "agentMessage", id, text, ...more })
const cut = { event: "error", params: { willRetry: true, error: { message: "Reconnecting... 1/5" } } }

/** The answer of a turn, and the messages that its listener receives. */
const run = Effect.fnUntraced(function* (steps: ReadonlyArray<object>) {
  const { threadId, turn } = yield* thread()
  const ear = listener()
  const { content } = yield* turn(threadId, { prompt: script(steps) }, ear)
  const emitted = ear.events.flatMap((event) =>
    event._tag === "TextDelta" ? [event.text] : event._tag === "Message" ? [`[${event.text}]`] : [],
  )
  return { content, emitted }
})

describe("the answer of a turn of Codex (promise 34)", () => {
  test.live("is neither commentary nor an asynchronous question; both are emitted", function* () {
    const steps = [
      message("a", "The answer.", { phase: "final_answer" }),
      message("b", "On the way.", { phase: "commentary" }),
      message("c", "Which?", { phase: "final_answer", delivery: "async" }),
    ]
    const { content, emitted } = yield* run(steps)
    assert.strictEqual(content, "The answer.")
    assert.deepStrictEqual(emitted, ["[The answer.]", "[On the way.]", "[Which?]"])
  })
})

describe("a message of Codex (promise 34)", () => {
  test.live.each<readonly [what: string, steps: ReadonlyArray<object>, emitted: ReadonlyArray<string>]>([
    [
      "that was cut continues where it broke off",
      [delta("a", "half an ans"), cut, delta("b", "half "), delta("b", "an answer"), message("b", "half an answer")],
      ["half an ans", "wer", "[half an answer]"],
    ],
    [
      "that differs after the cut is emitted from its beginning",
      [delta("a", "half an ans"), cut, delta("b", "half "), delta("b", "a day"), message("b", "half a day")],
      ["half an ans", "half a day", "[half a day]"],
    ],
    [
      "that was complete before the cut is emitted once",
      [delta("a", "One."), message("a", "One."), cut, delta("b", "One."), message("b", "One."), message("c", "Two.")],
      ["One.", "[One.]", "[Two.]"],
    ],
    [
      "that is repeated twice is emitted once",
      [message("a", "1"), message("b", "2"), cut, message("c", "1"), cut, message("d", "1"), message("e", "2")],
      ["[1]", "[2]"],
    ],
    [
      "that was restarted for a steer continues where it broke off",
      [delta("a", "I wr"), delta("b", "I write"), message("b", "I write")],
      ["I wr", "ite", "[I write]"],
    ],
    [
      "that the model writes twice is emitted twice",
      [message("a", "Again."), tokens(2, 2), cut, message("b", "Again."), message("c", "Again.")],
      ["[Again.]", "[Again.]", "[Again.]"],
    ],
  ])("%s", function* ([_, steps, expected]) {
    assert.deepStrictEqual((yield* run(steps)).emitted, expected)
  })
})
