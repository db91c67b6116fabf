/** Structured answers of the real Claude Code, whose own check ends its process, and which need not use its tool. */
import { assert, describe } from "@effect/vitest"
import { ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { place } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"

const output = {
  type: "object",
  properties: { score: { type: "integer" } },
  required: ["score"],
  additionalProperties: false,
}

const give = (score: unknown) => ScriptedTurn.toolCall("StructuredOutput", { score })

/** What the response to one request is, and how often the model was asked, when the model does this in turn. */
const asking = Effect.fnUntraced(function* (request: object, ...turns: ReadonlyArray<ScriptedTurn.ScriptedTurn>) {
  const at = yield* place("claude-code", { respond: ({ index }) => turns[index] ?? ScriptedTurn.text("That is all.") })
  const client = yield* OwnClient.adapter("claude-code")
  const session = yield* client.openSession(OwnClient.config(at))
  const { cause, isError, structured } = yield* client.execute(session, { content: "Judge it.", output, ...request })
  const asked = (yield* at.model.requests).map(({ userMessages }) => userMessages.at(-1) ?? "")
  return { answer: { cause, isError, structured }, asked }
})

const whole = (structured: unknown) => ({ cause: undefined, isError: false, structured })

describe("a structured answer of the real claude-code (docs/guides/structured-answers.md)", () => {
  test.live("that Claude Code refuses is asked for again, with what its model gave", function* () {
    const { answer, asked } = yield* asking({}, give("high"), give(7))
    assert.deepStrictEqual(answer, whole({ score: 7 }))
    assert.include(asked.join("\n"), 'score: Instance type "string" is invalid. Expected "integer".')
  })

  test.live("is read from the text of a model that does not use the tool", function* () {
    const words = ScriptedTurn.text('It is good: { "score": 7 }')
    const { answer } = yield* asking({}, words, words)
    assert.deepStrictEqual(answer, whole({ score: 7 }))
  })

  test.live("may be a list, which Claude Code itself cannot give", function* () {
    const list = { type: "array", items: { type: "integer" } }
    const { answer } = yield* asking({ output: list }, ScriptedTurn.toolCall("StructuredOutput", { answer: [1, 2] }))
    assert.deepStrictEqual(answer, whole([1, 2]))
  })
})
