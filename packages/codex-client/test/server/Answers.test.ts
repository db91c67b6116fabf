/** What of Codex's messages is the answer, and that each is told once (issue 15, point 6). */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { test } from "../../../core/test/Test.ts"
import { item, listener, script, thread, tokens } from "./Codex.ts"

const delta = (itemId: string, piece: string) => ({
  event: "item/agentMessage/delta",
  params: { itemId, delta: piece },
})
const message = (id: string, text: string, more: object = {}) =>
  item("completed", { type: "agentMessage", id, text, ...more })
const cut = { event: "error", params: { willRetry: true, error: { message: "Reconnecting... 1/5" } } }

/** The answer of a turn, and what its listener is told of messages. */
const run = Effect.fnUntraced(function* (steps: ReadonlyArray<object>) {
  const { threadId, turn } = yield* thread()
  const ear = listener()
  const { content } = yield* turn(threadId, script(steps), ear)
  const told = ear.events.flatMap((event) =>
    event._tag === "TextDelta" ? [event.text] : event._tag === "Message" ? [`[${event.text}]`] : [],
  )
  return { content, told }
})

describe("the answer of a turn of Codex (issue 15, point 6)", () => {
  test.live("is no commentary, and no question that nobody waits for; both are told", function* () {
    const steps = [
      message("a", "The answer.", { phase: "final_answer" }),
      message("b", "On the way.", { phase: "commentary" }),
      message("c", "Which?", { phase: "final_answer", delivery: "async" }),
    ]
    const { content, told } = yield* run(steps)
    assert.strictEqual(content, "The answer.")
    assert.deepStrictEqual(told, ["[The answer.]", "[On the way.]", "[Which?]"])
  })
})

describe("a message of Codex (issue 15, point 6)", () => {
  test.live.each<readonly [what: string, steps: ReadonlyArray<object>, told: ReadonlyArray<string>]>([
    [
      "that was cut goes on where it was",
      [delta("a", "half an ans"), cut, delta("b", "half "), delta("b", "an answer"), message("b", "half an answer")],
      ["half an ans", "wer", "[half an answer]"],
    ],
    [
      "that says something else after the cut is told from its beginning",
      [delta("a", "half an ans"), cut, delta("b", "half "), delta("b", "a day"), message("b", "half a day")],
      ["half an ans", "half a day", "[half a day]"],
    ],
    [
      "that was whole before the cut is told once",
      [delta("a", "One."), message("a", "One."), cut, delta("b", "One."), message("b", "One."), message("c", "Two.")],
      ["One.", "[One.]", "[Two.]"],
    ],
    [
      "that comes a third time is told once",
      [message("a", "1"), message("b", "2"), cut, message("c", "1"), cut, message("d", "1"), message("e", "2")],
      ["[1]", "[2]"],
    ],
    [
      "that was begun anew for the user's word goes on where it was",
      [delta("a", "I wr"), delta("b", "I write"), message("b", "I write")],
      ["I wr", "ite", "[I write]"],
    ],
    [
      "that is said twice is told twice",
      [message("a", "Again."), tokens(2, 2), cut, message("b", "Again."), message("c", "Again.")],
      ["[Again.]", "[Again.]", "[Again.]"],
    ],
  ])("%s", function* ([_, steps, expected]) {
    assert.deepStrictEqual((yield* run(steps)).told, expected)
  })
})
