import { readdirSync } from "node:fs"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { agents, type Place, place } from "../src/AgentServers.ts"
import * as OfficialClient from "../src/OfficialClient.ts"
import * as StdioServer from "../src/StdioServer.ts"
import { gone, until } from "../src/Until.ts"
import * as Wishes from "../src/Wishes.ts"

/** A command that runs longer than any test. Claude Code rejects a long sleep that stands alone. */
const long = (seconds: number) => `sh -c 'exec sleep ${seconds}'`

const running = (at: Place, seconds: number) =>
  until(
    () => at.alive().some(({ command }) => command === `sleep ${seconds}`),
    () => `The agent does not run its command for ${seconds} seconds.`,
  )

/** Starts a client process whose agent runs a command in the middle of a turn. */
const busyClient = Effect.fnUntraced(function* (at: Place, server: OfficialClient.Server, seconds: number) {
  const prompt = Wishes.prompt({ _tag: "Run", command: long(seconds) }).text
  const client = yield* OfficialClient.call(server, at.agent, { prompt, cwd: at.directory })
  yield* running(at, seconds)
  return client
})

const cases = [
  { agent: "codex", front: "http" },
  { agent: "claude-code", front: "sse" },
] as const

describe.concurrent.each(cases)(
  "with two clients of one $agent over $front, each in the middle of a turn,",
  ({ agent, front }) => {
    test.live("kill -9 of one leaves none of its processes, and the other's turn completes", function* () {
      const held = yield* Wishes.held(agent, "undisturbed")
      const at = yield* place(agent, { respond: held.respond })
      const { url } = yield* at.serve(front)
      const other = yield* OfficialClient.connect(at, { front, url })
      const talking = yield* Effect.forkScoped(other.start(held.text))
      yield* at.model.awaitRequest(Wishes.has(held))
      const client = yield* busyClient(at, { front, url }, 86_398)
      const before = at.alive().length
      client.kill("SIGKILL")
      yield* gone(() => at.alive().filter(({ command }) => command.includes("sleep 86398")))
      // One process is shared by all of Codex's threads; Claude Code has one for each.
      const agentsOf = () => at.alive().filter(({ command }) => / app-server|--session-id/.test(command)).length
      yield* until(
        () => agentsOf() <= 1,
        () => `Of ${before} left: ${JSON.stringify(at.alive())}`,
      )
      assert.isUndefined(talking.pollUnsafe(), "The other's turn is under way.")
      yield* held.release
      assert.deepInclude(yield* Fiber.join(talking), { content: "undisturbed", isError: false })
    })

    test.live("kill -9 of the server leaves neither a process nor a TMPDIR of any agent", function* () {
      const at = yield* place(agent)
      const { process: server, url } = yield* at.serve(front)
      yield* Effect.all([busyClient(at, { front, url }, 86_397), busyClient(at, { front, url }, 86_396)], {
        concurrency: "unbounded",
      })
      const temporary = () => readdirSync(at.env["TMPDIR"] ?? "").filter((name) => name.startsWith("zain-"))
      // One process is shared by all of Codex's threads; Claude Code has one for each.
      assert.lengthOf(temporary(), agent === "codex" ? 1 : 2)
      server.kill("SIGKILL")
      yield* gone(at.alive)
      yield* gone(temporary)
    })
  },
)

/** Each way with one agent, and one with the other. */
const ends = StdioServer.ends.flatMap((way) =>
  agents.filter((agent) => agent === "codex" || way.name === "SIGTERM").map((agent) => ({ ...way, agent })),
)

describe.concurrent("over stdio, in the middle of a turn that runs a command", () => {
  test.live.each(ends)(
    "the server of $agent is ended by $name with its agent and the command, and exits with $exitCode",
    function* ({ agent, ...way }) {
      const at = yield* place(agent)
      const prompt = Wishes.prompt({ _tag: "Run", command: long(86_395) }).text
      const server = yield* StdioServer.call(at.command("stdio"), agent, { prompt, cwd: at.directory })
      yield* running(at, 86_395)
      assert.strictEqual(yield* StdioServer.exitOf(server, way), way.exitCode)
      assert.deepStrictEqual(at.alive(), [])
    },
  )
})
