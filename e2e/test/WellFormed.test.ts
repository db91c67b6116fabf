/** Half a surrogate pair, which the real agents cannot read, in what they receive. */
import { assert, describe } from "@effect/vitest"
import { ScriptedTurn } from "@zain/scripted-model"
import { test } from "../../packages/core/test/Test.ts"
import { agents, place } from "../src/AgentServers.ts"
import * as OfficialClient from "../src/OfficialClient.ts"

const cut = (text: string) => `${text} 🐛`.slice(0, text.length + 2)

describe.concurrent.each(agents)("the real %s (promise 36)", (agent) => {
  test.live("answers a prompt and options that were cut inside an emoji", function* () {
    const at = yield* place(agent, { respond: () => ScriptedTurn.text("Answered.") })
    const { reply, start } = yield* OfficialClient.connect(at)
    const options = { "developer-instructions": cut("Be brief"), model: cut("small") }
    const { content, isError, threadId } = yield* start(cut("Fix the bug"), options)
    assert.deepStrictEqual({ content, isError }, { content: "Answered.", isError: false })
    assert.strictEqual((yield* reply(threadId, cut("Fix the bug"), options)).content, "Answered.")
    const [first] = yield* at.model.requests
    assert.strictEqual(first?.model, "small \uFFFD")
    assert.match(first?.userMessages.at(-1) ?? "", /Fix the bug \uFFFD$/u)
    assert.include(JSON.stringify(first?.body), "Be brief \uFFFD")
  })
})
