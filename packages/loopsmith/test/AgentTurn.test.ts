import { assert, describe } from "@effect/vitest"
import { InMemoryMcpClient } from "@zain/core"
import type { AgentConnection } from "@zain/core/AgentConnection"
import { ConnectionUnavailable } from "@zain/core/McpError"
import * as McpSessionRuntime from "@zain/core/McpSessionRuntime"
import * as AgentTurn from "@zain/loopsmith/AgentTurn"
import { soon } from "@zain/testkit/Running"
import { test } from "@zain/testkit/Test"
import { Deferred, Effect, Exit, Fiber, References, Scope } from "effect"

const { config } = InMemoryMcpClient

/** A client whose agent counts its connections, all and open ones. */
const counted = Effect.fnUntraced(function* (answer: AgentConnection["execute"]) {
  const seen = { opened: 0, open: 0, prompts: [] as string[] }
  const client = yield* McpSessionRuntime.make({
    provider: "counted",
    supports: {
      streaming: false,
      approvals: false,
      cancelKeepsConversation: true,
      failureKeepsConversation: true,
      background: false,
    },
    connect: () =>
      Effect.acquireRelease(
        Effect.sync((): AgentConnection => {
          seen.opened += 1
          seen.open += 1
          return {
            execute: (request, turn) =>
              Effect.suspend(() => {
                seen.prompts.push(request.content)
                return answer(request, turn)
              }),
            abort: () => {},
          }
        }),
        () =>
          Effect.sync(() => {
            seen.open -= 1
          }),
      ),
  })
  return { client, seen, ask: (prompt: string) => AgentTurn.ask(client, config, prompt) }
})

describe("AgentTurn.ask", () => {
  test("rejects a configuration with `promptCommands`, before it opens a session", function* () {
    const { client, seen } = yield* counted(({ content }) => Effect.succeed({ content, isError: false }))
    const commanding = { ...config, providerOptions: { promptCommands: true } }
    const refused = yield* Effect.flip(AgentTurn.ask(client, commanding, "/compact"))
    assert.include(refused.details, "`promptCommands`")
    assert.deepStrictEqual(seen, { opened: 0, open: 0, prompts: [] })
  })

  test("fails and closes the session when the agent reports a failed turn or is lost", function* () {
    const lost = new ConnectionUnavailable({ reason: "server-exited", message: "It died.", delivery: "unknown" })
    const { ask, seen } = yield* counted(({ content }) =>
      content === "die" ? Effect.fail(lost) : Effect.succeed({ content: "out of tokens", isError: true }),
    )
    const failed = yield* Effect.flip(ask("fail"))
    assert.deepInclude(failed, { reason: "agent", retryable: true })
    assert.strictEqual(failed.details, "counted reports that its turn failed: out of tokens")
    assert.deepInclude(yield* Effect.flip(ask("die")), { reason: "agent", details: "It died.", retryable: true })
    assert.strictEqual(seen.open, 0)
  })

  test.each([
    [{ _tag: "NotLoggedIn", command: "my-agent login" }, "`my-agent login`"],
    [{ _tag: "MissingVariable", variable: "MY_KEY" }, "`--env MY_KEY`"],
  ] as const)("fails without a retry and names the remedy when the cause is %j: %s", function* ([cause, fix]) {
    const { ask } = yield* counted(() => Effect.succeed({ content: "Mend me.", isError: true, cause }))
    const failed = yield* Effect.flip(ask("Is it good?"))
    assert.deepInclude(failed, { reason: "agent", retryable: false })
    assert.include(failed.details, "Mend me.")
    assert.include(failed.details, fix)
  })

  test("can be interrupted while the agent starts (LoopSmith 8)", function* () {
    const starting = yield* Deferred.make<void>()
    const client = yield* InMemoryMcpClient.make({
      connect: () => Effect.andThen(Deferred.succeed(starting, undefined), Effect.never),
    })
    const asking = yield* Effect.forkChild(AgentTurn.ask(client, config, "Hello?"))
    yield* Deferred.await(starting)
    yield* soon(Fiber.interrupt(asking))
    assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(asking)))
  })

  test("leaves no session open when it is interrupted at any step, unless the session's id has not arrived (LoopSmith 8)", function* () {
    const scope = yield* Scope.make()
    const { ask, seen } = yield* Scope.provide(
      counted(() => Effect.succeed({ content: "Yes.", isError: false })),
      scope,
    )
    // The least number with which a fiber completes.
    let steps = 4
    let exit: Exit.Exit<unknown, unknown>
    do {
      const asking = yield* Effect.forkChild(
        Effect.provideService(ask("Hello?"), References.MaxOpsBeforeYield, steps),
        { startImmediately: true },
      )
      yield* Fiber.interrupt(asking)
      exit = yield* Fiber.await(asking)
      steps += 1
    } while (Exit.isFailure(exit))
    assert.isAbove(seen.opened, 20)
    // At these steps the session's id has not arrived; the end of the client ends those sessions.
    assert.isAtMost(seen.open, 3)
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual(seen.open, 0)
  })
})
