/** The processes behind the agent server: their end, and their temporary files. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { assert, describe } from "@effect/vitest"
import * as ContractScript from "@zain/contract-tests/ContractScript"
import * as FakeAgent from "@zain/contract-tests/FakeAgent"
import * as Leftovers from "@zain/contract-tests/faults/Leftovers"
import { McpTransport } from "@zain/core/McpTransport"
import { isAlive } from "@zain/testkit/Alive"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber, Schedule } from "effect"
import { agents } from "./Agents.ts"
import * as Served from "./agent-server/Served.ts"

/** The living processes of fake agents, oldest first. */
const pidsOf = (running: Effect.Effect<ReadonlyArray<string>>) =>
  Effect.map(running, (names) => names.map((name) => Number(name.replace("process ", ""))))

const parentOf = (pid: number) => Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1])

/** A shell line: a command in the agent's process group that ignores SIGTERM. */
const stubborn = "(trap '' TERM; exec sleep 86393) </dev/null >/dev/null 2>&1 &"

describe.each(agents)("`closeSession` over stdio, with $name in the middle of a turn,", (agent) => {
  test.live.each(["SIGKILL", "SIGSTOP"] as const)(
    "returns after %s of the agent server when neither the agent nor its command is alive (promise 11)",
    function* (signal) {
      const home = yield* directory
      const { command, peer } = yield* FakeAgent.install(agent.dialect, home)
      writeFileSync(command, readFileSync(command, "utf8").replace("\n", `\n${stubborn}\n`))
      const client = yield* agent.make
      const session = yield* client.openSession(Served.stdio(agent, command, home, { closeGrace: "600 millis" }))
      const content = ContractScript.prompt({ _tag: "Hang" }, "h1")
      const turn = yield* Effect.forkChild(Effect.exit(client.execute(session, { content })))
      yield* peer.received("h1")
      const [pid = 0] = yield* pidsOf(peer.leftovers)
      const own = [pid, ...Leftovers.childrenOf(pid)]
      assert.lengthOf(own, 2, "the agent, and its command")
      process.kill(parentOf(pid), signal)
      if (signal === "SIGKILL") yield* Fiber.await(turn)
      yield* client.closeSession(session)
      assert.deepStrictEqual(own.filter(isAlive), [])
    },
  )
})

const temporaryOf = (pid: number) =>
  /\0TMPDIR=([^\0]*)/.exec(`\0${readFileSync(`/proc/${pid}/environ`, "utf8")}`)?.[1] ?? "none"

/** Waits until the directories are gone; a server over HTTP removes them after its client has closed. */
const removed = (paths: ReadonlyArray<string>) =>
  Effect.sync(() => paths.filter((path) => existsSync(path))).pipe(
    Effect.repeat({
      until: (left) => left.length === 0,
      schedule: Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: "4 minutes" })),
    }),
    Effect.andThen(Effect.sync(() => assert.isEmpty(paths.filter((path) => existsSync(path))))),
  )

const places = agents.flatMap((agent) =>
  McpTransport.literals.map((transport) => ({ agent, name: agent.name, transport })),
)

describe.each(places)("TMPDIR of $name over $transport (promise 18)", ({ agent, transport }) => {
  test.live("is a private directory of the agent's process, which is removed with it", function* () {
    const { config, running } = yield* Served.serve(agent, transport)
    const client = yield* agent.make
    const sessions = yield* Effect.forEach(["a", "b"], (nonce) =>
      Effect.gen(function* () {
        const session = yield* client.openSession(config)
        const content = ContractScript.prompt({ _tag: "Say", text: "here" }, nonce)
        yield* client.execute(session, { content })
        return session
      }),
    )
    const pids = yield* pidsOf(running)
    assert.lengthOf(pids, agent.dialect.agent.isShared === true ? 1 : 2)
    const agents = pids.map(temporaryOf)
    const servers = transport === "stdio" ? [...new Set(pids.map(parentOf))].map(temporaryOf) : []
    const all = [...agents, ...servers]
    assert.strictEqual(new Set(all).size, all.length, all.join())
    for (const path of all) {
      assert.match(path, /^\//)
      assert.isAtMost(Buffer.byteLength(path), 60)
      assert.strictEqual(statSync(path).mode & 0o777, 0o700)
      writeFileSync(`${path}/left`, "over")
    }
    yield* Effect.forEach(sessions, client.closeSession)
    if (transport === "stdio") assert.deepStrictEqual(all.filter(existsSync), [])
    yield* removed(all)
  })
})
