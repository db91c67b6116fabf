/** What of a prompt reaches the model of a real agent, and what the agent makes of it. */
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { type AgentName, agents, place } from "../../src/AgentServers.ts"
import * as Files from "../../src/Files.ts"
import * as OfficialClient from "../../src/OfficialClient.ts"
import * as OwnClient from "../../src/OwnClient.ts"

const secret = "what stands in a file of the user's"

const promptOf = ({ userMessages }: ModelRequest.ModelRequest): string => userMessages.at(-1) ?? ""

/** A place with a secret beside the workspace and one inside, and prompts that ask an agent for more than its model. */
const made = (agent: AgentName) =>
  Effect.map(place(agent, { respond: () => ScriptedTurn.text("Done.") }), (at) => {
    Files.write(at.directory, { "secret.txt": secret, "work/inside.txt": secret, "work/docs/a.md": secret })
    const prompts = [
      `see @${join(at.directory, "secret.txt")} please`,
      "see @inside.txt and @docs/ and @docs/a.md",
      ...["/clear the table", "/compact", "/context", "/rename it", "/init", "/no-such-command x"],
      "# remember this",
      "!echo hello",
    ]
    return { at, work: at.work, prompts }
  })

describe.each(agents)("a prompt to the real %s (attack: commands and files in a prompt)", (agent) => {
  test.live("reaches the model unchanged, whatever its form, and the conversation continues", function* () {
    const { at, prompts, work } = yield* made(agent)
    const { reply, start } = yield* OfficialClient.connect(at)
    const first = yield* start("The first word is Zain.", { cwd: work })
    for (const prompt of prompts) {
      const { content, isError } = yield* reply(first.threadId, prompt)
      assert.deepStrictEqual({ content, isError }, { content: "Done.", isError: false }, prompt)
    }
    const requests = yield* at.model.requests
    assert.deepStrictEqual(requests.slice(1).map(promptOf), prompts)
    for (const { body, userMessages } of requests) {
      assert.notInclude(JSON.stringify(body), secret)
      assert.include(userMessages, "The first word is Zain.")
    }
  })
})

describe("a prompt to the real claude-code by its own MCP server (attack: commands and files in a prompt)", () => {
  test.live("reaches the model unchanged, whatever its form", function* () {
    const { at, prompts, work } = yield* made("claude-code")
    const client = yield* OwnClient.adapter("claude-code", undefined, "native")
    const session = yield* client.openSession(OwnClient.native["claude-code"](at, { cwd: work }))
    for (const content of prompts) {
      const answer = yield* client.execute(session, { content })
      assert.deepInclude(answer, { content: "Done.", isError: false }, content)
    }
    const requests = yield* at.model.requests
    assert.lengthOf(requests, prompts.length)
    for (const [at, request] of requests.entries()) {
      // From the second on, Claude Code puts a sentence of its own before and behind it.
      assert.include(promptOf(request), String(prompts[at]))
      assert.notInclude(JSON.stringify(request.body), secret)
    }
  })
})

describe("`prompt-commands` of the real claude-code (control)", () => {
  test.live("enables slash commands and `@file`", function* () {
    const { at, prompts, work } = yield* made("claude-code")
    const { reply, start } = yield* OfficialClient.connect(at)
    const options = { cwd: work, "prompt-commands": true }
    const { threadId } = yield* start(String(prompts[0]), options)
    const { content } = yield* reply(threadId, "/context")
    const requests = yield* at.model.requests
    assert.lengthOf(requests, 1)
    assert.include(JSON.stringify(requests[0]?.body), secret)
    assert.include(content, "Context")
  })
})
