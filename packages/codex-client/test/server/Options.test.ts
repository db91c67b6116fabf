/** Options beside a thread of Codex. */
import { assert, describe } from "@effect/vitest"
import * as Workspace from "@zain/agent-server/Workspace"
import { test } from "@zain/testkit/Test"
import { Effect, Exit, Scope } from "effect"
import type { CodexStartOptions } from "../../src/CodexOptions.ts"
import { codex, finite, listener, script } from "../../testing/server/Codex.ts"

const said = script([{ message: "Said." }])

/** Codex, a thread with these options, the parameters of `method` for it, and a turn. */
const begun = Effect.fnUntraced(function* (options: CodexStartOptions, env: Record<string, string> = {}) {
  const made = yield* codex({ env })
  const client = yield* Scope.make()
  yield* Effect.addFinalizer((exit) => Scope.close(client, exit))
  const { start, turn } = yield* Scope.provide(made.agent.attach, client)
  const threadId = yield* start(options)
  yield* turn(threadId, { prompt: said }, listener())
  const asked = (method: string) => made.heard().flatMap((one) => (one.method === method ? [one.params ?? {}] : []))
  return {
    ...made,
    threadId,
    asked,
    leave: Scope.close(client, Exit.void),
    turn: (given: CodexStartOptions) => turn(threadId, { prompt: said }, listener(), given),
  }
})

describe("options beside a thread of Codex, which are applied or refused, and never ignored", () => {
  test.live("apply from then on, also after a restart of the server", function* () {
    const { again, asked, leave, threadId, turn } = yield* begun({
      sandbox: "workspace-write",
      developerInstructions: "Be kind.",
      config: { a: 1 },
    })
    yield* turn({ sandbox: "danger-full-access", approvalPolicy: "never", model: "m", cwd: "/", config: { b: 2 } })
    assert.lengthOf(asked("thread/unsubscribe"), 1)
    const resumed = { threadId, cwd: "/", model: "m", config: { ...finite, b: 2 }, approvalPolicy: "never" }
    const policy = { sandboxPolicy: { type: "dangerFullAccess" }, approvalPolicy: "never", threadId }
    assert.deepInclude(asked("thread/resume").at(-1), { ...resumed, developerInstructions: "Be kind." })
    assert.deepInclude(asked("turn/start").at(-1), policy)
    yield* leave
    const later = yield* Effect.flatMap(again, ({ attach }) => attach)
    yield* later.turn(threadId, { prompt: said }, listener())
    assert.lengthOf(asked("thread/resume"), 2)
    assert.deepInclude(asked("thread/resume").at(-1), { ...resumed, sandbox: "read-only", excludeTurns: true })
    assert.deepInclude(asked("turn/start").at(-1), policy)
  })

  test.live("that the thread has already change nothing", function* () {
    const options: CodexStartOptions = {
      model: "m",
      cwd: ".",
      sandbox: "workspace-write",
      approvalPolicy: "never",
      config: { a: { b: [1] }, c: 2 },
      baseInstructions: "base",
      developerInstructions: "developer",
      compactPrompt: "shorter",
    }
    const { asked, turn } = yield* begun(options)
    for (const same of [{}, { ...options, trustProject: false }, { config: { c: 2, a: { b: [1] } } }]) {
      assert.strictEqual((yield* turn(same)).content, "Said.")
    }
    assert.deepStrictEqual([...asked("thread/unsubscribe"), ...asked("thread/resume")], [])
  })

  test.live("that cannot change are refused before anything is sent", function* () {
    const { asked, turn } = yield* begun({ developerInstructions: "Be kind." })
    const error = yield* Effect.flip(turn({ sandbox: "read-only", developerInstructions: "Be quick." }))
    assert.strictEqual(error.reason, "option-refused")
    assert.match(error.message, /^`developer-instructions` /)
    assert.deepStrictEqual([asked("turn/start").length, asked("thread/unsubscribe").length], [1, 0])
    assert.strictEqual((yield* turn({})).content, "Said.")
  })

  test.live("fail the call when Codex does not unload the thread", function* () {
    const { asked, turn } = yield* begun({}, { FAKE_HOLDS: "yes" })
    for (const _ of ["first", "again"]) {
      const error = yield* Effect.flip(turn({ sandbox: "workspace-write" }))
      assert.include(error.message, "Codex did not unload the thread")
    }
    assert.lengthOf(asked("turn/start"), 1)
  })

  test.live("are checked against the root as those of a new thread", function* () {
    const { asked, home, turn } = yield* begun({ cwd: "/dev" })
    const within = Effect.provideService(Workspace.Roots, ["/dev"])
    for (const wide of [{ sandbox: "danger-full-access" }, { config: {} }, { cwd: home }] as const) {
      assert.strictEqual((yield* Effect.flip(within(turn(wide)))).reason, "agent-refused")
    }
    assert.lengthOf(asked("turn/start"), 1)
    yield* within(turn({ cwd: "shm", sandbox: "workspace-write" }))
    assert.strictEqual(asked("thread/resume").at(-1)?.["cwd"], "/dev/shm")
  })
})
