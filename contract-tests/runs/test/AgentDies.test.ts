import { assert, describe } from "@effect/vitest"
import * as ContractScript from "@zain/contract-tests/ContractScript"
import type { McpResponse } from "@zain/core/McpResponse"
import { McpTransport } from "@zain/core/McpTransport"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { type Agent, agents } from "./Agents.ts"
import * as Served from "./agent-server/Served.ts"

const say = (text: string, nonce: string) => ContractScript.prompt({ _tag: "Say", text }, nonce)

const served = Effect.fnUntraced(function* (agent: Agent) {
  const { config, peer } = yield* Served.serve(agent, "streamable-http", { dies: "alone" })
  const client = yield* agent.make
  return { peer, client, open: client.openSession(config) }
})

const knows = ({ content }: McpResponse) => JSON.parse(content) as ReadonlyArray<string>

describe.each(agents)("$name, when it exits behind the agent server,", (agent) => {
  test.live("fails its turn, and continues its conversation in the next one (promise 4)", function* () {
    const { client, open, peer } = yield* served(agent)
    const session = yield* open
    const first = yield* client.execute(session, { content: say("hello", "a1") })
    const died = yield* client.execute(session, { content: ContractScript.prompt({ _tag: "Exit" }, "a2") })
    assert.isTrue(died.isError)
    assert.match(died.content, /42/)
    const answer = yield* client.execute(session, { content: ContractScript.prompt({ _tag: "Recall" }, "a3") })
    assert.deepStrictEqual(knows(answer), ["a1", "a2", "a3"])
    assert.strictEqual(answer.threadId, first.threadId)
    assert.strictEqual(yield* peer.count("a2"), 1)
  })

  test.live("does not harm a waiting conversation of another client (promise 21)", function* () {
    const { client, open, peer } = yield* served(agent)
    const [dying, other] = [yield* open, yield* open]
    yield* client.execute(other, { content: say("hello", "b1") })
    const exit = ContractScript.prompt({ _tag: "Exit" }, "b2")
    const fiber = yield* Effect.forkChild(client.execute(dying, { content: exit }))
    yield* peer.received("b2")
    // If one process serves both, this turn may fail with it.
    yield* client.execute(other, { content: ContractScript.prompt({ _tag: "Recall" }, "b3") })
    assert.isTrue((yield* Fiber.join(fiber)).isError)
    const again = yield* client.execute(other, { content: ContractScript.prompt({ _tag: "Recall" }, "b4") })
    assert.isFalse(again.isError)
    assert.strictEqual(knows(again).at(-1), "b4")
    assert.strictEqual(knows(again)[0], "b1")
  })
})

/** Every agent, and every transport once. */
const everywhere = McpTransport.literals.flatMap((transport, at) => {
  const agent = agents[at % agents.length]
  return agent === undefined ? [] : [{ agent, name: agent.name, transport }]
})

describe.concurrent("behind the agent server, a stopped agent", () => {
  test.live.each(everywhere)(
    "$name over $transport fails the turn that it does not accept in time, and its conversation continues (promise 1)",
    function* ({ agent, transport }) {
      const { config, running } = yield* Served.serve(agent, transport, { args: ["--accept-timeout", "2 seconds"] })
      const client = yield* agent.make
      const session = yield* client.openSession(config)
      const { threadId } = yield* client.execute(session, { content: say("hello", "d1") })
      const stopped = (yield* running).map((process) => Number(/\d+/.exec(process)?.[0]))
      for (const pid of stopped) process.kill(pid, "SIGSTOP")
      const turn = client.execute(session, { content: say("hello", "d2"), deadline: "1 minute" })
      const error = yield* Effect.flip(turn)
      assert.deepInclude(error, { _tag: "ConnectionUnavailable", reason: "stalled", delivery: "unknown" })
      assert.strictEqual(error.threadId, threadId)
      assert.match(error.message, /within 2s.*--accept-timeout/s)
      const next = yield* client.execute(session, { content: ContractScript.prompt({ _tag: "Recall" }, "d3") })
      assert.strictEqual(next.threadId, threadId)
      assert.deepStrictEqual([knows(next)[0], knows(next).at(-1)], ["d1", "d3"])
    },
  )
})
