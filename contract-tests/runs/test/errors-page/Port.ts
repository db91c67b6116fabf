/**
 * What goes wrong in the port itself, whatever agent is behind it.
 */
import * as InMemoryMcpClient from "@zain/core/InMemoryMcpClient"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { McpError } from "@zain/core/McpError"
import * as McpPromiseClient from "@zain/core/McpPromiseClient"
import type { McpRequest } from "@zain/core/McpRequest"
import * as McpResponse from "@zain/core/McpResponse"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { client, type Provocations, refused } from "./MyAgent.ts"

const { config } = InMemoryMcpClient

const session = Effect.fnUntraced(function* (options?: InMemoryMcpClient.Options) {
  const adapter = yield* InMemoryMcpClient.make({ provider: "codex", ...options })
  return { adapter, id: yield* adapter.openSession(config) }
})

/** What a caller without types can give. */
const asking = Effect.fnUntraced(function* (request: unknown) {
  const { adapter, id } = yield* session()
  return yield* Effect.flip(adapter.execute(id, request as McpRequest))
})

const opening = (given: unknown) => refused(given as McpConnectionConfig.McpConnectionConfig, InMemoryMcpClient.make())

const silent: InMemoryMcpClient.Options = { reply: () => Effect.never }

/** The error of a turn that meets its limit. */
const after = (millis: number, limit: Pick<McpRequest, "deadline"> = {}) =>
  Effect.gen(function* () {
    const { adapter, id } = yield* session(silent)
    const request = { content: "Go", ...limit }
    const turn = yield* Effect.forkChild(Effect.flip(adapter.execute(id, request)), { startImmediately: true })
    yield* TestClock.adjust(millis)
    return yield* Fiber.join(turn)
  }).pipe(Effect.provide(TestClock.layer()))

const promised = (options: InMemoryMcpClient.Options) =>
  Effect.promise(async () => {
    await using adapter = await McpPromiseClient.make(InMemoryMcpClient.make(options))
    const session = await adapter.openSession(config)
    if (Result.isFailure(session)) return session.failure
    const answer = await adapter.execute(session.success, "Go")
    return Result.isFailure(answer) ? answer.failure : undefined
  }).pipe(Effect.flatMap((error) => (error === undefined ? Effect.fail("no error") : Effect.succeed<McpError>(error))))

export const provocations: Provocations = {
  silence: after(5 * 60_000),
  "a deadline": after(60_000, { deadline: Duration.minutes(1) }),
  "a deadline that passes before the turn begins": Effect.gen(function* () {
    const { adapter, id } = yield* session(silent)
    yield* Effect.forkScoped(adapter.execute(id, { content: "Go" }), { startImmediately: true })
    const request = { content: "Go", deadline: Duration.minutes(1) }
    const waiting = yield* Effect.forkChild(Effect.flip(adapter.execute(id, request)), { startImmediately: true })
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(waiting)
  }).pipe(Effect.provide(TestClock.layer())),
  "a full line": Effect.gen(function* () {
    const { adapter, id } = yield* session(silent)
    const ask = adapter.execute(id, { content: "Go" })
    yield* Effect.forEach(Array(1_025), () => Effect.forkScoped(ask, { startImmediately: true }))
    return yield* Effect.flip(ask)
  }),
  "a turn that failed, as an error": Effect.gen(function* () {
    const { adapter, id } = yield* session({
      reply: () => Effect.succeed({ content: "unexpected status 401 Unauthorized", isError: true }),
    })
    return yield* Effect.flip(Effect.flatMap(adapter.execute(id, { content: "Go" }), McpResponse.orFail))
  }),
  "a defect": promised({ reply: () => Effect.die(new TypeError("reply.trim is not a function")) }),
  "a closed session": Effect.gen(function* () {
    const { adapter, id } = yield* session()
    yield* adapter.closeSession(id)
    return yield* Effect.flip(adapter.execute(id, { content: "Go" }))
  }),
  "a turn whose session is closed": Effect.gen(function* () {
    const { adapter, id } = yield* session(silent)
    const turn = yield* Effect.forkChild(Effect.flip(adapter.execute(id, { content: "Go" })), {
      startImmediately: true,
    })
    yield* adapter.closeSession(id)
    return yield* Fiber.join(turn)
  }),
  "a closed client": Effect.gen(function* () {
    const scope = yield* Scope.make()
    const adapter = yield* Scope.provide(InMemoryMcpClient.make(), scope)
    yield* Scope.close(scope, Exit.void)
    return yield* Effect.flip(adapter.openSession(config))
  }),
  "a session of another client": Effect.gen(function* () {
    const { adapter } = yield* session()
    const { id } = yield* session()
    return yield* Effect.flip(adapter.execute(id, { content: "Go" }))
  }),
  "no prompt": asking(""),
  "no request": asking(7),
  "a request without content": asking({ prompt: "Go" }),
  "no deadline": asking({ content: "Go", deadline: "soon" }),
  "a NUL character": opening(McpConnectionConfig.stdio({ command: "my-agent", cwd: "/srv\0" })),
  "an unknown key": opening({ ...config, timeout: "1 second" }),
  "no command": opening({ serverUrl: "codex", transport: "stdio" }),
  "a password in a URL": opening(McpConnectionConfig.sse({ url: "https://ada:secret@agents.example" })),
  "no URL": opening(McpConnectionConfig.streamableHttp({ url: "agents.example/mcp" })),
  "an unknown option": refused({ ...config, providerOptions: { modle: "small" } }, client),
}
