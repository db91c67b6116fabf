/**
 * `zain run` prints an answer completely and once, for every way that agents send it.
 */
import { assert, describe, it } from "@effect/vitest"
import type { McpEvent } from "@zain/core/McpEvents"
import { McpSessionId } from "@zain/core/McpSessionId"
import * as fc from "fast-check"
import * as AnswerText from "../../src/run/AnswerText.ts"

const place = { sessionId: McpSessionId.make("00000000-0000-4000-8000-000000000000"), sequence: 1, turn: 1 }
const delta = (text: string): McpEvent => ({ _tag: "TextDelta", text, ...place })
const message = (text: string): McpEvent => ({ _tag: "Message", text, ...place })
const dropped: McpEvent = { _tag: "Dropped", count: 3, ...place }

const printed = (events: ReadonlyArray<McpEvent>, content: string, form: AnswerText.Form = "pieces"): string => {
  const answer = AnswerText.make(form)
  return [...events.map(answer.event), answer.end(content)].join("")
}

describe("the text of an answer", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<McpEvent>, string, string]> = [
    ["sent only at the end", [], "hello", "hello\n"],
    ["sent in pieces, whole, and at the end", [delta("hel"), delta("lo"), message("hello")], "hello", "hello\n"],
    ["sent in pieces and at the end", [delta("hel"), delta("lo")], "hello", "hello\n"],
    ["sent whole and at the end", [message("hello")], "hello", "hello\n"],
    ["of which a message tells more than the pieces", [delta("hel"), message("hello")], "hello", "hello\n"],
    ["of which the end tells more than the pieces", [delta("hel")], "hello", "hello\n"],
    ["with a line's end of its own", [delta("hello\n"), message("hello\n")], "hello", "hello\n"],
    [
      "of two messages, the last one is the content",
      [message("one"), delta("two"), message("two")],
      "two",
      "one\n\ntwo\n",
    ],
    ["of two messages, both are the content", [message("one"), message("two")], "one\n\ntwo", "one\n\ntwo\n"],
    ["whose content is another one", [delta("one"), message("one")], "two", "one\n\ntwo\n"],
    ["whose content is the end of a message", [message("a book")], "book", "a book\n\nbook\n"],
    [
      "of which pieces were lost",
      [delta("hel"), dropped, delta("rld"), message("hello world")],
      "hello world",
      "helrld\nhello world\n",
    ],
    ["without any text", [message("")], "", ""],
    ["that begins anew", [delta("Half an ans"), message("The answer")], "The answer", "Half an ans\nThe answer\n"],
    ["that begins anew, shorter", [delta("Hm"), message("The answer is 42")], "", "Hm\nThe answer is 42\n"],
    [
      "that restarts, and is sent whole only at the end",
      [delta("Half an ans"), delta("The answer")],
      "The answer",
      "Half an ansThe answer\n\nThe answer\n",
    ],
    ["whose pieces have white space around them", [delta("\n\nhel"), message("hello")], "hello", "\n\nhello\n"],
  ]
  for (const [title, events, content, expected] of cases) {
    it(`is printed once: one ${title}`, () => assert.strictEqual(printed(events, content), expected))
  }

  it("is printed once for any pieces of its messages", () => {
    const text = fc.string({ minLength: 1 }).filter((text) => text.trim() === text && text !== "")
    const cut = fc.tuple(text, fc.array(fc.nat(20)), fc.boolean())
    fc.assert(
      fc.property(fc.array(cut, { minLength: 1, maxLength: 4 }), (messages) => {
        const events = messages.flatMap(([text, cuts, isStreamed]) => [
          ...(isStreamed ? pieces(text, cuts).map(delta) : []),
          message(text),
        ])
        const texts = messages.map(([text]) => text)
        assert.strictEqual(printed(events, texts.at(-1) ?? ""), `${texts.join("\n\n")}\n`)
      }),
    )
  })
})

describe("the text of a restarted answer", () => {
  const text = fc.string({ minLength: 1 }).filter((text) => text.trim() === text && text !== "")
  /** Each: the text of a broken stream, the message, and the cuts of its pieces. */
  const answers = fc.array(fc.tuple(fc.string(), text, fc.array(fc.nat(20))), { minLength: 1, maxLength: 4 })
  const eventsOf = (messages: ReadonlyArray<readonly [string, string, ReadonlyArray<number>]>) =>
    messages.flatMap(([lost, text, cuts]) => [delta(lost), ...pieces(text, cuts).map(delta), message(text)])

  it("has every message whole, the last one last, on a terminal", () =>
    fc.assert(
      fc.property(answers, (messages) => {
        const texts = messages.map(([, text]) => text)
        const shown = printed(eventsOf(messages), texts.at(-1) ?? "")
        assert.isTrue(shown.trimEnd().endsWith(texts.at(-1) ?? ""), JSON.stringify(shown))
        let from = 0
        for (const text of texts) {
          const at = shown.indexOf(text, from)
          assert.isAtLeast(at, 0, JSON.stringify(shown))
          from = at + text.length
        }
      }),
    ))

  it("has the messages alone, elsewhere", () =>
    fc.assert(
      fc.property(answers, (messages) => {
        const texts = messages.map(([, text]) => text)
        assert.strictEqual(printed(eventsOf(messages), texts.at(-1) ?? "", "messages"), `${texts.join("\n\n")}\n`)
      }),
    ))

  it("is the content if no message was sent, elsewhere", () => {
    assert.strictEqual(printed([delta("hel"), delta("lo")], "hello", "messages"), "hello\n")
    assert.strictEqual(printed([delta("hel"), dropped], "hello", "messages"), "hello\n")
    assert.strictEqual(printed([delta("hel")], "", "messages"), "")
  })
})

const pieces = (text: string, cuts: ReadonlyArray<number>): ReadonlyArray<string> => {
  const places = [...new Set([0, ...cuts.map((cut) => cut % text.length), text.length])].sort((a, b) => a - b)
  return places.slice(1).map((end, at) => text.slice(places[at], end))
}
