import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { test } from "../../core/test/Test.ts"
import { text, unable } from "./OwnWire.ts"
import { inWords, session } from "./Session.ts"

describe("a SendMessage that failed", () => {
  test("while the agent ran is isError, and the conversation goes on (design §4, McpResponse)", function* () {
    const { first, later, turn } = yield* session()
    yield* first
    const message = 'Agent "agent-1" was resumed but failed while running: Agent terminated early due to an API error'
    assert.deepInclude(yield* turn("again", unable(message)), { content: message, isError: true })
    assert.deepInclude(yield* turn("again", { ...text("message must not be empty"), isError: true }), {
      content: "message must not be empty",
      isError: true,
    })
    assert.strictEqual((yield* later("and again", "here")).answer.content, "here")
  })

  test("because the turn before is not over yet was not taken up, and may be sent again (design §4, delivery)", function* () {
    const { first, later, turn } = yield* session()
    yield* first
    const message = 'Agent "agent-1" could not be resumed: Agent agent-1 is already running or being resumed'
    const error = yield* Effect.flip(turn("again", unable(message)))
    assert.strictEqual(inWords(error), "InvalidRequest rejected-by-server not-sent")
    assert.strictEqual((yield* later("again", "here")).answer.content, "here")
  })

  test("while the agent ran is isError whatever words it failed with: the prompt was taken up", function* () {
    const { first, turn } = yield* session()
    yield* first
    for (const words of ["a batch with this id is already running", "the stream could not be resumed"]) {
      const message = `Agent "agent-1" was resumed but failed while running: API Error: 400 ${words}`
      assert.deepInclude(yield* turn("again", unable(message)), { content: message, isError: true })
    }
  })

  test("because the agent is unknown is conversation-lost, and nothing was done (design §4, rule 5)", function* () {
    const { first, turn } = yield* session()
    yield* first
    const message = 'Agent "agent-1" could not be resumed: No transcript found for agent ID: agent-1'
    const error = yield* Effect.flip(turn("again", unable(message)))
    assert.strictEqual(inWords(error), "SessionClosed conversation-lost not-sent")
    assert.include(error.message, "No transcript found")
  })
})
