import { assert, describe } from "@effect/vitest"
import * as HostGuard from "@zain/process/HostGuard"
import { isAlive } from "@zain/testkit/Alive"
import { test } from "@zain/testkit/Test"
import { Duration, Effect, Exit, Layer, Scope } from "effect"
import * as AgentChannel from "../src/AgentChannel.ts"
import * as AheadProcess from "../src/AheadProcess.ts"

/** A program that tells its id and lives until its input ends. */
const program = 'process.stdout.write(JSON.stringify({ pid: process.pid }) + "\\n"); process.stdin.resume()'
const env = { PATH: process.env["PATH"] ?? "" }
const limits = { modelTimeout: Duration.zero, acceptTimeout: Duration.zero }

const start = Effect.fnUntraced(function* (command = process.execPath) {
  const guarded = yield* Layer.build(HostGuard.layer)
  const target = AgentChannel.target({ command, args: ["-e", program], env, ...limits }, [])
  const server = yield* Scope.make()
  const ahead = yield* AheadProcess.make(target).pipe(Scope.provide(server), Effect.provideContext(guarded))
  const open = (scope: Scope.Scope) =>
    AgentChannel.open(target, ahead).pipe(Scope.provide(scope), Effect.provideContext(guarded))
  return { open, server }
})

const pidOf = ({ listen }: AgentChannel.AgentChannel) =>
  Effect.callback<number>((resume) =>
    listen({
      message: ({ pid }) => resume(Effect.succeed(Number(pid))),
      ended: (reason) => resume(Effect.die(reason)),
    }),
  )

describe("a process that starts while its server does (promise 11)", () => {
  test.live("is given to the first that asks, and ends with its Scope; the next gets another", function* () {
    const { open, server } = yield* start()
    const [one, other] = [yield* Scope.make(), yield* Scope.make()]
    const first = yield* pidOf(yield* open(one))
    const second = yield* pidOf(yield* open(other))
    assert.notStrictEqual(first, second)
    yield* Scope.close(one, Exit.void)
    assert.deepStrictEqual([first, second].map(isAlive), [false, true])
    yield* Scope.close(other, Exit.void)
    yield* Scope.close(server, Exit.void)
    assert.isFalse(isAlive(second))
  })

  test.live("fails the first that asks if it cannot start, and starts again for the next", function* () {
    const { open } = yield* start("/absent/agent")
    for (let asked = 0; asked < 2; asked++) {
      const error = yield* Effect.flip(Effect.scoped(Effect.flatMap(Effect.scope, open)))
      assert.strictEqual(error.reason, "start-failed")
      assert.include(error.message, "/absent/agent")
    }
  })
})
