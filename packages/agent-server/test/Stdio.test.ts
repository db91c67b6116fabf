/**
 * The command on its pipes: what it reads, what it writes, and when it ends.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { assert, describe } from "@effect/vitest"
import { gone, isAlive } from "@zain/testkit/Alive"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import * as StdioTransport from "@zain/tool-server/StdioTransport"
import * as Effect from "effect/Effect"
import { eventually } from "../../tool-server/testing/TestServer.ts"
import * as AgentServer from "../src/AgentServer.ts"
import * as InMemoryAgent from "../testing/InMemoryAgent.ts"
import {
  call,
  initialize,
  initialized,
  type Message,
  type ServerProcess,
  start,
  watched,
} from "../testing/ServerProcess.ts"

const open = Effect.fnUntraced(function* (args?: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) {
  const server = yield* start(args, env)
  server.send(initialize())
  yield* server.message(({ id }) => id === "init")
  server.send(initialized)
  return server
})

const answerTo = (server: ServerProcess, id: number | string | null) => server.message((message) => message.id === id)

/** The pipes of a server in this process, which a client has initialized, and what it has written. */
const pipes = Effect.fnUntraced(function* (capabilities: object = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  let written = ""
  output.setEncoding("utf8").on("data", (piece: string) => {
    written += piece
  })
  yield* AgentServer.make(InMemoryAgent.make(), { version: "1" }).session(StdioTransport.make(input, output))
  const lines = () =>
    written
      .split("\n")
      .slice(0, -1)
      .map((line): Message => JSON.parse(line))
  const send = (...messages: ReadonlyArray<object>) =>
    void input.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""))
  const message = (isIt: (message: Message) => boolean) =>
    Effect.map(
      eventually(() => lines().some(isIt)),
      () => lines().find(isIt) as Message,
    )
  send(initialize("init", capabilities))
  yield* message(({ id }) => id === "init")
  send(initialized)
  return { input, lines, send, message }
})

/** A file in a directory that is removed with the Scope. */
const file = Effect.map(directory, (path) => join(path, "agents"))

const agentsOf = (path: string) =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .flatMap((line) => line.split(" ").slice(0, 2).map(Number))

describe("a server over stdio", () => {
  test.live("refuses a line of more than 64 MiB, ignores empty ones, and continues", function* () {
    const { input, lines, message, send } = yield* pipes()
    const piece = "x".repeat(1024 * 1024)
    for (let count = 0; count < 65; count++) input.write(piece)
    input.write("\n\n   \n")
    send(call(1, "say a"))
    yield* message(({ id }) => id === 1)
    const { error } = yield* message(({ id }) => id === null)
    assert.include(error?.message, String(64 * 1024 * 1024))
    assert.lengthOf(lines(), 3, "An empty line is not answered.")
  })

  test.live("does not start a call whose cancellation arrived in the same chunk (promise 5)", function* () {
    const { lines, message, send } = yield* pipes()
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "gone" } }
    send(call("gone", "stay"), cancelled)
    send(call("next", "say on"))
    const { result } = yield* message(({ id }) => id === "next")
    assert.deepStrictEqual(result?.["structuredContent"], { threadId: "thread-1", content: "on" })
    assert.isUndefined(lines().find(({ id }) => id === "gone"))
  })

  test.live("has the client's id of a call in its events, also 0", function* () {
    const { message, send } = yield* pipes({ experimental: { "zain/events": {} } })
    send(call(0, "say a"))
    const { params } = yield* message(({ method }) => method === "zain/event")
    assert.deepStrictEqual(params?.["_meta"], { requestId: 0, threadId: "thread-1" })
  })

  test.live("exits with 0 at the end of its input during a turn, and leaves no process (promise 11)", function* () {
    const path = yield* file
    const server = yield* open(["--", path])
    server.send(watched(1, "say a\nstay"))
    yield* server.message(({ params }) => params?.["message"] === "a")
    const agents = agentsOf(path)
    assert.lengthOf(agents, 2)
    assert.isTrue(agents.every(isAlive))
    server.child.stdin.end()
    assert.strictEqual(yield* server.exit, 0)
    assert.isFalse(agents.some(isAlive))
    assert.strictEqual(server.errors(), "")
  })

  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGINT", 130],
    ["SIGHUP", 129],
  ] as const) {
    test.live(`exits with ${code} at ${signal}, answers its running calls, and leaves no process`, function* () {
      const path = yield* file
      const server = yield* open(["--", path])
      server.send(watched(1, "say a\nstay"))
      yield* server.message(({ params }) => params?.["message"] === "a")
      server.child.kill(signal)
      assert.strictEqual(yield* server.exit, code)
      assert.isFalse(agentsOf(path).some(isAlive))
      const { result } = yield* answerTo(server, 1)
      assert.strictEqual(result?.["isError"], true)
    })
  }

  test.live("ends when its output is closed", function* () {
    const path = yield* file
    const server = yield* open(["--", path])
    server.child.stdout.destroy()
    server.send(watched(1, "flood 1000000 100"))
    assert.strictEqual(yield* server.exit, 0)
    assert.isFalse(agentsOf(path).some(isAlive))
  })

  test.live(
    "passes the agent's variables and those of --env to the agent, and no others (promise 18), and leaves no agent process when it is killed (promise 12)",
    function* () {
      const env = { MEMORY_A: "named", OTHER: "other" }
      const path = yield* file
      const server = yield* open(["--", path], env)
      server.send(call(1, "say a"))
      yield* answerTo(server, 1)
      const other = yield* open(["--env", "OTHER", "--", path], env)
      other.send(call(1, "say a"))
      yield* answerTo(other, 1)
      const words = readFileSync(path, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => line.split(" ").slice(2).join(" ").trim())
      assert.deepStrictEqual(words, ["named", "named other"])
      for (const { child } of [server, other]) child.kill("SIGKILL")
      yield* gone(...agentsOf(path))
    },
  )
})
