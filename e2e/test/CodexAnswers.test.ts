/** What of the real Codex's messages is the answer, and that each is told once (issue 15, point 6). */
import { assert, describe, it } from "@effect/vitest"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import { place } from "../src/AgentServers.ts"
import * as Breadth from "../src/Breadth.ts"
import * as CodexCalls from "../src/CodexCalls.ts"
import * as OwnClient from "../src/OwnClient.ts"

/** `nth`: counts the requests of the turn from 0. */
type Play = (request: ModelRequest.ModelRequest, nth: number) => ScriptedTurn.ScriptedTurn

/** The answer, and what a reader of the events is told of messages: pieces, and whole ones in brackets. */
const ask = (model: string, play: Play) =>
  Effect.gen(function* () {
    let nth = 0
    const at = yield* place("codex", {
      model,
      retries: true,
      respond: (request) => play(request, nth++),
    })
    const client = yield* OwnClient.adapter("codex", { rules: [{ answer: "approve" }] })
    const session = yield* client.openSession(OwnClient.config(at, { front: "stdio" }))
    const { content, events } = yield* OwnClient.ask(client, session, "go")
    const told = events.flatMap((event) =>
      event._tag === "TextDelta" ? [event.text] : event._tag === "Message" ? [`[${event.text}]`] : [],
    )
    const tools = events.filter(({ _tag }) => _tag === "ToolStarted" || _tag === "ToolFinished").length
    return { content, tools, told: told.join("") }
  })

const cases = Object.entries(CodexCalls.models).filter(([kind]) => Breadth.isWhole || kind === "code")

describe.each(cases)("an answer of the real Codex (%s: %s)", (_, model) => {
  it.live("is not what it says on the way to a tool, nor after its answer", () =>
    Effect.gen(function* () {
      const { content, told } = yield* ask(model, (request, nth) =>
        nth === 0
          ? CodexCalls.run(request, "touch made", { text: "I will.", phase: "commentary" })
          : ScriptedTurn.text("Made.", { phase: "final_answer" }),
      )
      assert.deepStrictEqual({ content, told }, { content: "Made.", told: "I will.[I will.]Made.[Made.]" })
      const alone = yield* ask(model, () => ScriptedTurn.text("Still at it.", { phase: "commentary" }))
      assert.deepStrictEqual(alone, { content: "", tools: 0, told: "Still at it.[Still at it.]" })
    }),
  )

  it.live("comes once where the stream of its model was cut before its end, and so does the tool before it", () =>
    Effect.gen(function* () {
      const first = yield* ask(model, (_, nth) =>
        nth === 0 ? ScriptedTurn.droppedStream("half an ans") : ScriptedTurn.text("half an answer"),
      )
      assert.deepStrictEqual(first, { content: "half an answer", tools: 0, told: "half an answer[half an answer]" })
      const whole = yield* ask(model, (request, nth) =>
        nth === 0
          ? ScriptedTurn.droppedStream("Look.", { calls: [CodexCalls.run(request, "touch made")] })
          : nth === 1
            ? ScriptedTurn.text("Look.")
            : ScriptedTurn.text("?"),
      )
      assert.deepStrictEqual(whole, { content: "Look.", tools: 2, told: "Look.[Look.]" })
    }),
  )
})

describe("a question that nobody waits for", () => {
  it.live("is told, and is not the answer of the real Codex's turn", () =>
    Effect.gen(function* () {
      const questions = [{ title: "Which?", options: ["one", "other"] }]
      const { content, told } = yield* ask(CodexCalls.models.code, (_, nth) =>
        nth === 0
          ? ScriptedTurn.toolCall("functions.request_user_input_async", { questions }, { text: "The answer." })
          : ScriptedTurn.text(""),
      )
      assert.strictEqual(content, "The answer.")
      assert.include(told, "[Which?\n- one\n- other]")
    }),
  )
})
