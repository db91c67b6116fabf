/**
 * The command on its pipes: what it reads, what it writes, and when it ends.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { gone, isAlive } from "@zain/testkit/Alive"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { call, initialize, initialized, type ServerProcess, start, watched } from "../testing/ServerProcess.ts"

const open = Effect.fnUntraced(function* (args?: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) {
  const server = yield* start(args, env)
  server.send(initialize())
  yield* server.message(({ id }) => id === "init")
  server.send(initialized)
  return server
})

const answerTo = (server: ServerProcess, id: number | string | null) => server.message((message) => message.id === id)

/** A file in a directory that is removed with the Scope. */
const file = Effect.map(directory, (path) => join(path, "agents"))

const agentsOf = (path: string) =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .flatMap((line) => line.split(" ").slice(0, 2).map(Number))

describe("a server over stdio", () => {
  test.live("refuses a line of more than 64 MiB, ignores empty ones, and continues", function* () {
    const server = yield* open()
    const piece = "x".repeat(1024 * 1024)
    for (let count = 0; count < 65; count++) server.send(piece)
    server.send("\n\n   \n")
    server.send(call(1, "say a"))
    yield* answerTo(server, 1)
    const { error } = yield* answerTo(server, null)
    assert.include(error?.message, String(64 * 1024 * 1024))
    assert.lengthOf(server.lines, 3, "An empty line is not answered.")
  })

  test.live("does not start a call whose cancellation arrived in the same chunk (promise 5)", function* () {
    const server = yield* open()
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "gone" } }
    server.send(`${JSON.stringify(call("gone", "stay"))}\n${JSON.stringify(cancelled)}\n`)
    server.send(call("next", "say on"))
    const { result } = yield* answerTo(server, "next")
    assert.deepStrictEqual(result?.["structuredContent"], { threadId: "thread-1", content: "on" })
    assert.isUndefined(server.lines.find((line) => line.includes('"gone"')))
  })

  test.live("has the client's id of a call in its events, also 0", function* () {
    const server = yield* start()
    server.send(initialize("init", { experimental: { "zain/events": {} } }))
    yield* answerTo(server, "init")
    server.send(call(0, "say a"))
    yield* answerTo(server, 0)
    const { params } = yield* server.message(({ method }) => method === "zain/event")
    assert.deepStrictEqual(params?.["_meta"], { requestId: 0, threadId: "thread-1" })
  })

  test.live("sends requests with unpredictable ids, and accepts responses to these only (promise 21)", function* () {
    const server = yield* start()
    server.send(initialize("init", { elicitation: {} }))
    yield* answerTo(server, "init")
    server.send(call(1, "ask ls"))
    const { id } = yield* server.message(({ method }) => method === "elicitation/create")
    assert.match(String(id), /^[0-9a-f]{32}-0$/)
    for (const guess of [0, "0", `${"0".repeat(32)}-0`]) {
      server.send({ jsonrpc: "2.0", id: guess, result: { action: "accept" } })
    }
    server.send({ jsonrpc: "2.0", id, result: { action: "decline" } })
    const { result } = yield* answerTo(server, 1)
    assert.include(JSON.stringify(result), "declined")
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

  test.live("ends when a client leaves more than 64 MiB unread (promise 14)", function* () {
    const path = yield* file
    const server = yield* open(["--", path])
    server.child.stdout.pause()
    server.send(watched(1, "flood 10000 65536"))
    const code = yield* Effect.callback<number | null>((resume) => {
      server.child.once("exit", (code) => resume(Effect.succeed(code)))
    })
    assert.strictEqual(code, 0)
    assert.isFalse(agentsOf(path).some(isAlive))
    server.child.stdout.destroy()
  })

  test.live("leaves no agent process when it is killed (promise 12)", function* () {
    const path = yield* file
    const server = yield* open(["--", path])
    server.send(call(1, "say a"))
    yield* answerTo(server, 1)
    server.child.kill("SIGKILL")
    yield* server.exit
    yield* gone(...agentsOf(path))
  })

  test.live("passes the agent's variables and those of --env to the agent, and no others (promise 18)", function* () {
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
  })
})
