import { rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import { isAlive } from "@zain/testkit/Alive"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect, Exit, Fiber, Scope } from "effect"
import * as ServerProcess from "../../../agent-server/testing/ServerProcess.ts"
import {
  client,
  codex,
  type Heard,
  install,
  item,
  listener,
  script,
  startedIn,
  thread,
} from "../../testing/server/Codex.ts"

const main = fileURLToPath(new URL("../../src/server/zain-codex-mcp.ts", import.meta.url))

describe("the process of Codex, which ends with its clients", () => {
  test.live("starts on demand, serves all clients, and ends with the last one, with its children", function* () {
    const { agent, pids } = yield* codex({ program: true })
    const [first, second] = [yield* Scope.make(), yield* Scope.make()]
    const one = yield* Scope.provide(agent.attach, first)
    const other = yield* Scope.provide(agent.attach, second)
    assert.deepStrictEqual(pids(), [])
    const { content } = yield* one.turn(yield* one.start({}), { prompt: script([{ spawn: "c" }]) }, listener())
    const ear = listener()
    const going = yield* Effect.forkChild(other.turn(yield* other.start({}), { prompt: script([{ hang: true }]) }, ear))
    yield* ear.heard("turn/started")
    yield* Scope.close(first, Exit.void)
    const [pid = 0] = pids()
    assert.isTrue(isAlive(pid))
    yield* Fiber.interrupt(going)
    yield* Scope.close(second, Exit.void)
    assert.deepStrictEqual([pid, Number(content)].filter(isAlive), [])
    assert.strictEqual(pids().length, 1)
    const late = yield* Effect.flip(one.start({}))
    assert.strictEqual(late.reason, "start-failed")
  })

  test.live("starts when a session opens, before its first turn, and answers it", function* () {
    const { begin, pids, start, turn } = yield* client()
    yield* begin({})
    yield* Effect.repeat(Effect.sleep(5), { until: () => Effect.succeed(pids().length > 0) })
    const { content } = yield* turn(yield* start({}), { prompt: script([{ message: "Hello." }]) }, listener())
    assert.strictEqual(content, "Hello.")
    assert.strictEqual(pids().length, 1)
  })

  test.live("starts with a server of one client of Zain, before its session, and ends with it", function* () {
    const home = yield* directory
    const { command } = yield* install(home)
    const env = { HOME: home, FAKE_HOME: home }
    const server = yield* ServerProcess.start(["shared", "--command", command, "--env", "FAKE_HOME"], env, main)
    const pids = () => startedIn(home)
    yield* Effect.repeat(Effect.sleep(5), { until: () => Effect.succeed(pids().length > 0) })
    assert.deepStrictEqual(pids().map(isAlive), [true])
    server.child.stdin.end()
    assert.strictEqual(yield* server.exit, 0)
    assert.deepStrictEqual(pids().map(isAlive), [false])
  })

  test.live(
    "that dies in a turn fails it with the last stderr output, without secrets, and a new one continues the thread",
    function* () {
      const { heard, pids, start, turn } = yield* client({ program: true })
      const [threadId, other] = [yield* start({ sandbox: "workspace-write" }), yield* start({})]
      const ear = listener()
      const beside = yield* Effect.forkChild(turn(other, { prompt: script([{ hang: true }]) }, ear))
      yield* ear.heard("turn/started")
      const spawned = listener()
      const error = yield* Effect.flip(turn(threadId, { prompt: script([{ spawn: "c" }, { die: 7 }]) }, spawned))
      assert.strictEqual(error.reason, "agent-exited")
      assert.include(error.message, "exited with code 7")
      assert.include(error.message, "these are my <redacted>")
      assert.strictEqual((yield* Effect.flip(Fiber.join(beside))).reason, "agent-exited")
      const { content } = yield* turn(threadId, { prompt: script([{ message: "Next." }]) }, listener())
      assert.strictEqual(content, "Next.")
      assert.strictEqual(pids().length, 2)
      assert.strictEqual(heard().filter(({ method }) => method === "thread/resume").length, 1)
      const policies = heard().flatMap(({ method, params }) =>
        method === "turn/start" && params?.["threadId"] === threadId ? [params["sandboxPolicy"]] : [],
      )
      assert.strictEqual(policies.length, 2)
      for (const policy of policies) assert.deepInclude(policy, { type: "workspaceWrite" })
      const child = spawned.events.flatMap((event) => (event._tag === "Message" ? [Number(event.text)] : []))
      assert.deepStrictEqual(child.filter(isAlive), [])
    },
  )

  test.live(
    "unloads the threads of a disconnected client before its Scope has closed, unless another client uses them",
    function* () {
      const { agent, heard } = yield* codex()
      const [first, second] = [yield* Scope.make(), yield* Scope.make()]
      const one = yield* Scope.provide(agent.attach, first)
      const other = yield* Scope.provide(agent.attach, second)
      const [own, shared, theirs] = [yield* one.start({}), yield* one.start({}), yield* other.start({})]
      yield* one.turn(own, { prompt: script([{ message: "Mine." }]) }, listener())
      yield* one.turn(shared, { prompt: script([{ message: "Ours." }]) }, listener())
      yield* other.turn(shared, { prompt: script([{ message: "Ours." }]) }, listener())
      yield* Effect.flip(one.turn("00000000-0000-7000-8000-000000000000", { prompt: script([]) }, listener()))
      const asked = (name: string) =>
        heard().flatMap(({ method, params }) => (method === name ? [params?.["threadId"]] : []))
      yield* Scope.close(first, Exit.void)
      assert.deepStrictEqual(asked("thread/unsubscribe"), [own])
      const { content } = yield* other.turn(own, { prompt: script([{ message: "Again." }]) }, listener())
      assert.strictEqual(content, "Again.")
      assert.deepStrictEqual(asked("thread/resume").slice(-1), [own])
      yield* other.turn(theirs, { prompt: script([{ message: "Theirs." }]) }, listener())
      yield* Scope.close(second, Exit.void)
      assert.deepStrictEqual(asked("thread/unsubscribe"), [own], "With its last client Codex ends.")
      const server = heard().find(({ started }) => started)
      assert.deepStrictEqual(server?.args, ["app-server", "-c", "thread_unload_delay_secs=0"])
    },
  )

  test.live("unloads a thread whose options could not be stored, for another server too", function* () {
    const home = yield* directory
    const state = join(home, "state")
    const { agent, again, heard } = yield* codex({ env: { XDG_STATE_HOME: state, FAKE_BLOCKS: state } })
    const [one, other] = [yield* agent.attach, yield* Effect.flatMap(again, ({ attach }) => attach)]
    const error = yield* Effect.flip(one.start({ sandbox: "workspace-write" }))
    assert.strictEqual(error.reason, "invalid-config")
    const left = heard().find(({ method }) => method === "thread/unsubscribe")
    yield* other.open(String(left?.params?.["threadId"]))
  })

  test.live("that is not an app-server, or cannot be started, fails with the cause", function* () {
    const { start } = yield* client({ program: true, env: { NODE_OPTIONS: "--require=/no/such/file" } })
    const error = yield* Effect.flip(start({}))
    assert.strictEqual(error.reason, "start-failed")
    assert.include(error.message, "codex app-server")
  })
})

describe("the processes of a command of Codex (promise 34)", () => {
  test.live.each([
    ["its turn's answer", "off"],
    ["an interrupt", "wait"],
  ] as const)(
    "are gone when the turn has ended, although Codex reports the end of the command before: it ends with %s",
    function* ([_, background]) {
      const [env, hang] = [{ FAKE_TERMINALS: '[{"itemId":"c","processId":"c"}]' }, background === "wait"]
      const { threadId, turn } = yield* thread({ env, program: true }, { background })
      const ear = listener()
      const begun = item("started", { type: "commandExecution", id: "c", command: "serve" })
      const steps = [begun, { spawn: "another" }, { spawn: "c" }, ...(hang ? [{ hang }] : [])]
      const going = yield* Effect.forkChild(turn(threadId, { prompt: script(steps) }, ear))
      const pids = () => ear.events.flatMap((event) => (event._tag === "Message" ? [Number(event.text)] : []))
      yield* ear.until(() => pids().length === 2)
      yield* hang ? Fiber.interrupt(going) : Fiber.join(going)
      assert.deepStrictEqual(pids().map(isAlive), [true, false])
    },
  )
})

describe("a Codex that dies before it accepts a prompt (promise 3)", () => {
  const answer = [{ message: "Answered." }]
  const asked = (heard: ReadonlyArray<Heard>) => heard.filter(({ method }) => method === "turn/start").length

  test.live("is replaced, and the prompt is sent again, because its thread does not have it", function* () {
    const { heard, pids, says } = yield* thread()
    yield* says(answer)
    assert.strictEqual(yield* says(answer, "unheard"), "Answered.")
    assert.deepStrictEqual([pids().length, asked(heard())], [2, 3])
  })

  test.live.each<readonly [what: string, how: string, asked: number, env?: Record<string, string>]>([
    ["has stored the prompt in its thread", "kept", 1],
    ["does not list the prompts of its threads", "unheard", 1, { FAKE_NO_TURNS: "yes" }],
    ["dies twice", "cursed", 2],
  ])("fails the turn with delivery unknown when it %s", function* ([_, how, times, env = {}]) {
    const { heard, says, threadId, turn } = yield* thread({ env })
    const error = yield* Effect.flip(turn(threadId, { prompt: script(answer, how) }, listener()))
    assert.deepInclude(error, { reason: "agent-exited", delivery: "unknown" })
    assert.include(error.message, "exited with code 9")
    assert.strictEqual(asked(heard()), times)
    assert.strictEqual(yield* says(answer), "Answered.")
  })

  test.live.each(["thread/start", "thread/resume"])(
    "in its %s is replaced, because the prompt was not sent yet",
    function* (method) {
      const { agent, again, pids } = yield* codex({ env: { FAKE_DIES: method } })
      const threadId = yield* Effect.scoped(Effect.flatMap(agent.attach, ({ start }) => start({})))
      const { turn } = yield* Effect.flatMap(again, ({ attach }) => attach)
      const { content } = yield* turn(threadId, { prompt: script(answer) }, listener())
      assert.strictEqual(content, "Answered.")
      assert.strictEqual(pids().length, 3)
    },
  )

  test.live("and has no turn of the thread fails the prompt with delivery not-sent", function* () {
    const { home, threadId, turn } = yield* thread()
    rmSync(join(home, `${threadId}.thread`))
    const error = yield* Effect.flip(turn(threadId, { prompt: script(answer, "unheard") }, listener()))
    assert.deepInclude(error, { reason: "agent-exited", delivery: "not-sent" })
  })
})
