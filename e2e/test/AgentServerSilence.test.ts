import { assert, describe } from "@effect/vitest"
import { ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { agents, place } from "../src/AgentServers.ts"
import * as Stories from "../src/BackgroundStories.ts"
import * as OwnClient from "../src/OwnClient.ts"
import { alive, withEnvironment } from "../src/OwnProcesses.ts"
import * as Wishes from "../src/Wishes.ts"

/** Longer than the silence between two heartbeats, which is 10 seconds. */
const idleTimeout = "11 seconds"

describe.concurrent.each(agents)("the real %s, silent in the middle of a turn", (agent) => {
  test.live.each([
    { what: "because its model never answers", isStopped: false },
    { what: "because its processes were stopped", isStopped: true },
  ])("$what, fails it with `stalled`, is ended, and the thread continues (promise 1)", function* ({ isStopped }) {
    const held = yield* Wishes.held(agent, "too late")
    const at = yield* place(agent, { respond: held.respond })
    const { url } = yield* at.serve("http", ["--model-timeout", "2 seconds"])
    const client = yield* OwnClient.adapter(agent)
    const session = yield* client.openSession({ ...OwnClient.config(at, { front: "http", url }), idleTimeout })
    const turn = yield* Effect.forkChild(
      Effect.flip(client.execute(session, { content: held.text, deadline: "1 minute" })),
    )
    yield* at.model.awaitRequest(Wishes.has(held))
    const agentProcesses = withEnvironment(at.directory).filter(({ command }) =>
      / app-server|--session-id/.test(command),
    )
    if (isStopped) for (const { pid } of agentProcesses) process.kill(pid, "SIGSTOP")
    assert.strictEqual((yield* Fiber.join(turn)).reason, "stalled")
    yield* held.release
    const recall = Wishes.prompt({ _tag: "Recall" })
    const { content } = yield* client.execute(session, { content: recall.text })
    assert.strictEqual(JSON.parse(content).at(-1), recall.key)
    if (isStopped) assert.deepStrictEqual(alive(agentProcesses), [])
  })

  test.live("because its model thinks for longer than `idleTimeout`, completes it (promise 1)", function* () {
    const at = yield* place(agent, { respond: () => ScriptedTurn.delay("15 seconds", ScriptedTurn.text("At last.")) })
    const client = yield* OwnClient.adapter(agent)
    const session = yield* client.openSession({ ...OwnClient.config(at), idleTimeout })
    assert.strictEqual((yield* client.execute(session, { content: "Think." })).content, "At last.")
  })

  test.live("because only a command in the background is left, completes it (promise 1)", function* () {
    const tools = Stories.tellers.find((teller) => teller.agent === agent)?.tools as Stories.Tools
    const story = { turns: [[Stories.leave("sleep 15"), Stories.say("Done.")]] }
    const at = yield* place(agent, { respond: Stories.respond(story, tools) })
    const { url } = yield* at.serve("http", ["--model-timeout", "2 seconds"])
    const client = yield* OwnClient.adapter(agent, { ask: () => "approve" })
    const session = yield* client.openSession({ ...OwnClient.config(at, { front: "http", url }), idleTimeout })
    const { content, ended } = yield* client.execute(session, { content: Stories.prompt(0) })
    assert.deepStrictEqual([content, ended], ["Done.", undefined])
  })
})
