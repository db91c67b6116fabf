import { spawn } from "node:child_process"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { test } from "../../packages/core/test/Test.ts"
import { agents, type Place, place } from "../src/AgentServers.ts"
import * as OfficialClient from "../src/OfficialClient.ts"
import * as StdioServer from "../src/StdioServer.ts"
import * as Until from "../src/Until.ts"
import * as Wishes from "../src/Wishes.ts"

const program = fileURLToPath(new URL("AgentServerClient.ts", import.meta.url))

/** A command that lasts longer than any test. Claude Code refuses a long sleep that stands alone. */
const long = (seconds: number) => `sh -c 'exec sleep ${seconds}'`

const until = (holds: () => boolean, otherwise: () => string) => Effect.promise(() => Until.until(holds, otherwise))

const runs = (at: Place, seconds: number) => at.alive().some(({ command }) => command === `sleep ${seconds}`)

const gone = (at: Place, isLeft: (command: string) => boolean) => {
  const left = () => at.alive().filter(({ command }) => isLeft(command))
  return until(
    () => left().length === 0,
    () => `Left: ${JSON.stringify(left())}`,
  )
}

/** A client in a process of its own whose agent runs a command in the middle of a turn. */
const busyClient = Effect.fnUntraced(function* (at: Place, url: string, front: "http" | "sse", seconds: number) {
  const { text } = Wishes.prompt({ _tag: "Run", command: long(seconds) })
  const args = JSON.stringify({ prompt: text, cwd: at.directory })
  const client = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--conditions=zain-source", program, url, front, at.agent, args], {
        stdio: ["ignore", "inherit", "inherit"],
        env: { PATH: process.env["PATH"] },
      }),
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL")),
  )
  yield* until(
    () => runs(at, seconds),
    () => `The agent does not run its command for ${seconds} seconds.`,
  )
  return client
})

const cases = agents.flatMap((agent) => (["http", "sse"] as const).map((front) => ({ agent, front })))

describe.concurrent.each(cases)(
  "two clients of one $agent over $front, each in the middle of a turn",
  ({ agent, front }) => {
    test.live("kill -9 of one leaves nothing of its own, and the other's turn completes", function* () {
      const play = Wishes.play(agent)
      const release = yield* Deferred.make<void>()
      const held = Wishes.prompt({ _tag: "Say", text: "undisturbed" })
      const at = yield* place(agent, {
        respond: (request) => {
          const turn = Effect.succeed(play(request))
          return Wishes.keysOf(request).includes(held.key) ? Effect.andThen(Deferred.await(release), turn) : turn
        },
      })
      const { url } = yield* at.serve(front)
      const other = yield* OfficialClient.connect(at, { front, url })
      const talking = yield* Effect.forkScoped(Effect.promise(() => other.start(held.text)))
      yield* at.model.awaitRequest((request) => Wishes.keysOf(request).includes(held.key))
      const client = yield* busyClient(at, url, front, 86_398)
      const before = at.alive().length
      client.kill("SIGKILL")
      yield* gone(at, (command) => command.includes("sleep 86398"))
      // One process is shared by all of Codex's threads; Claude Code has one for each.
      const agentsOf = () => at.alive().filter(({ command }) => / app-server|--session-id/.test(command)).length
      yield* until(
        () => agentsOf() <= 1,
        () => `Of ${before} left: ${JSON.stringify(at.alive())}`,
      )
      assert.isUndefined(talking.pollUnsafe(), "The other's turn is under way.")
      yield* Deferred.succeed(release, undefined)
      assert.deepInclude(yield* Fiber.join(talking), { content: "undisturbed", isError: false })
    })

    test.live("kill -9 of the server leaves neither a process nor a TMPDIR of any agent", function* () {
      const at = yield* place(agent)
      const { process: server, url } = yield* at.serve(front)
      yield* Effect.all([busyClient(at, url, front, 86_397), busyClient(at, url, front, 86_396)], {
        concurrency: "unbounded",
      })
      const temporary = () => readdirSync(at.env["TMPDIR"] ?? "").filter((name) => name.startsWith("zain-"))
      // One process is shared by all of Codex's threads; Claude Code has one for each.
      assert.lengthOf(temporary(), agent === "codex" ? 1 : 2)
      server.kill("SIGKILL")
      yield* gone(at, () => true)
      yield* until(
        () => temporary().length === 0,
        () => `Left: ${temporary()}`,
      )
    })
  },
)

describe.concurrent.each(agents)(
  "the server of %s over stdio, in the middle of a turn that runs a command",
  (agent) => {
    test.live.each(StdioServer.ends)(
      "$name ends it, its agent and the command; it exits with $exitCode",
      function* (way) {
        const at = yield* place(agent)
        const prompt = Wishes.prompt({ _tag: "Run", command: long(86_395) }).text
        const server = yield* StdioServer.call(at.command("stdio"), agent, { prompt, cwd: at.directory })
        yield* until(
          () => runs(at, 86_395),
          () => "The agent does not run its command.",
        )
        assert.strictEqual(yield* StdioServer.exitOf(server, way), way.exitCode)
        assert.deepStrictEqual(at.alive(), [])
      },
    )
  },
)
