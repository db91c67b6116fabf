/** The agent server that the sessions of one client share, as `local` starts it. */
import { readFileSync } from "node:fs"
import { assert, describe } from "@effect/vitest"
import * as ContractScript from "@zain/contract-tests/ContractScript"
import * as FakeAgent from "@zain/contract-tests/FakeAgent"
import * as Leftovers from "@zain/contract-tests/faults/Leftovers"
import { McpConnectionConfig, type StdioOptions } from "@zain/core"
import { isAlive } from "@zain/testkit/Alive"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { type Agent, agents } from "./Agents.ts"
import * as Served from "./agent-server/Served.ts"

const eight = Array.from({ length: 8 }, (_, at) => `n${at}`)

const hang = { _tag: "Hang" } as const
const say = (nonce: string) => ({ content: ContractScript.prompt({ _tag: "Say", text: "hello" }, nonce) })

/** The children of this process that are agent servers. */
const serversOf = ({ program }: Agent) =>
  Leftovers.childrenOf(process.pid).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(program))

const opened = Effect.fnUntraced(function* (agent: Agent) {
  const home = yield* directory
  const { command, peer } = yield* FakeAgent.install(agent.dialect, home)
  const client = yield* agent.make
  const before = serversOf(agent)
  return {
    client,
    peer,
    open: (options: Partial<StdioOptions> = {}) => client.openSession(Served.stdio(agent, command, home, options)),
    servers: () => serversOf(agent).filter((pid) => !before.includes(pid)),
  }
})

describe.each(agents.slice(0, 1))("the sessions of one client with $name", (agent) => {
  test.live(
    "share a server, whose death fails the turn of each, and the next open starts another (promises 4, 8, 11)",
    function* () {
      const { client, open, peer, servers } = yield* opened(agent)
      const sessions = yield* Effect.forEach(eight, () => open(), { concurrency: "unbounded" })
      const [server = 0, ...others] = servers()
      assert.isEmpty(others)
      const turns = yield* Effect.forEach(sessions, (session, at) =>
        Effect.forkChild(
          Effect.flip(client.execute(session, { content: ContractScript.prompt(hang, eight[at] ?? "") })),
        ),
      )
      for (const nonce of eight) yield* peer.received(nonce)
      // A stopped agent does not see the end of its input.
      for (const agent of yield* peer.leftovers) process.kill(Number(agent.replace("process ", "")), "SIGSTOP")
      process.kill(server, "SIGKILL")
      const errors = yield* Fiber.joinAll(turns)
      assert.deepStrictEqual(
        errors.map(({ reason }) => reason),
        eight.map(() => "server-exited"),
      )
      assert.isNotEmpty(yield* peer.leftovers)
      yield* client.closeSession(sessions[0] ?? assert.fail())
      assert.isEmpty(yield* peer.leftovers)
      const next = yield* open()
      assert.isFalse((yield* client.execute(next, say("again"))).isError)
      assert.lengthOf(servers(), 1)
    },
  )

  test.live("end with their own close, and the server with that of the last (promises 11, 16)", function* () {
    const { client, open, peer, servers } = yield* opened(agent)
    const [first, second, third] = [yield* open(), yield* open(), yield* open()]
    const turn = yield* Effect.forkChild(client.execute(second, say("slow")))
    const lost = yield* Effect.forkChild(
      Effect.exit(client.execute(first, { content: ContractScript.prompt(hang, "h") })),
    )
    yield* peer.received("h")
    yield* client.closeSession(first)
    yield* Fiber.await(lost)
    assert.isFalse((yield* Fiber.join(turn)).isError)
    assert.isFalse((yield* client.execute(third, say("after"))).isError)
    const [server = 0] = servers()
    yield* client.closeSession(second)
    assert.isTrue(isAlive(server))
    yield* client.closeSession(third)
    assert.isFalse(isAlive(server))
  })

  test.live("are refused by a command that serves none, which is ended (promise 10)", function* () {
    const client = yield* agent.make
    const args = ["-e", "console.log('hello'); setInterval(() => {}, 1000)"]
    const config = McpConnectionConfig.stdio({ command: process.execPath, args, shared: true })
    const error = yield* Effect.flip(client.openSession(config))
    assert.deepInclude(error, { reason: "not-an-mcp-server", delivery: "not-sent" })
    const left = Leftovers.childrenOf(process.pid)
    assert.isFalse(left.some((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("setInterval")))
  })

  test.live("have one of their own if its environment differs, or if they are not to share it", function* () {
    const { open, servers } = yield* opened(agent)
    yield* open()
    yield* open({ env: { HOME: "/" } })
    yield* open({ shared: false })
    assert.lengthOf(servers(), 3)
  })
})
