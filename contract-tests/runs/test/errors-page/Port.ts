/**
 * Errors of the port itself, with any agent.
 */
import * as InMemoryMcpClient from "@zain/core/InMemoryMcpClient"
import * as McpBudget from "@zain/core/McpBudget"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { McpError } from "@zain/core/McpError"
import * as McpPromiseClient from "@zain/core/McpPromiseClient"
import type { McpRequest } from "@zain/core/McpRequest"
import * as McpResponse from "@zain/core/McpResponse"
import * as McpRetry from "@zain/core/McpRetry"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as McpSessionRuntime from "@zain/core/McpSessionRuntime"
import { Duration, Effect, Fiber, Result } from "effect"
import { after, client, type Provocations, refused, tool } from "./MyAgent.ts"

const { config } = InMemoryMcpClient

/** A session. `asking`: why a request fails, which a caller without types can give; `started`: the same, under way. */
const session = Effect.fnUntraced(function* (options?: InMemoryMcpClient.Options) {
  const adapter = yield* InMemoryMcpClient.make({ provider: "codex", ...options })
  const id = yield* adapter.openSession(config)
  const asking = (request: unknown = go) => Effect.flip(adapter.execute(id, request as McpRequest))
  const started = Effect.suspend(() => Effect.forkScoped(asking(), { startImmediately: true }))
  return { adapter, id, asking, started }
})

const go = { content: "Go" }
const goInTime = { ...go, deadline: Duration.minutes(1) }

const asking = (request: unknown, options?: InMemoryMcpClient.Options) =>
  Effect.flatMap(session(options), (opened) => opened.asking(request))

const opening = (given: unknown) => refused(given as McpConnectionConfig.McpConnectionConfig, InMemoryMcpClient.make())

const silent: InMemoryMcpClient.Options = { reply: () => Effect.never }

const promised = (options: InMemoryMcpClient.Options) =>
  Effect.promise(async () => {
    await using adapter = await McpPromiseClient.make(InMemoryMcpClient.make(options))
    const session = Result.getOrThrow(await adapter.openSession(config))
    return Result.getOrThrow(Result.flip(await adapter.execute(session, "Go")))
  })

/** What the second turn of a budget fails with. */
const inBudget = Effect.fnUntraced(function* (limits: McpBudget.Limits) {
  const adapter = yield* McpBudget.make(limits).limit(InMemoryMcpClient.make({ provider: "codex" }))
  const id = yield* adapter.openSession(config)
  yield* adapter.execute(id, go)
  return yield* Effect.flip(adapter.execute(id, go))
})

const budgeted = (limits: object) => refused(config, McpBudget.make(limits).limit(InMemoryMcpClient.make()))

/** An agent without any means of its own. */
const plainAgent = McpSessionRuntime.make({
  provider: "my-agent",
  supports: {
    ...{ streaming: false, approvals: false, cancelKeepsConversation: true, failureKeepsConversation: true },
    background: false,
  },
  connect: () => Effect.succeed({ execute: ({ content }) => Effect.succeed({ content, isError: false }), abort() {} }),
})

/** What it refuses. */
const ofPlainAgent = Effect.fnUntraced(function* (
  ask: (adapter: McpClientAdapter, id: McpSessionId) => Effect.Effect<unknown, McpError>,
) {
  const adapter = yield* plainAgent
  const id = yield* adapter.openSession(config)
  return yield* Effect.flip(ask(adapter, id))
})

const executing =
  (beside: Partial<McpRequest>): Parameters<typeof ofPlainAgent>[0] =>
  (adapter, id) =>
    adapter.execute(id, { ...go, ...beside })

export const provocations: Provocations = {
  "a silent agent": after("5 minutes", asking(go, silent)),
  "a deadline that passes in a turn": after("1 minute", asking(goInTime, silent)),
  "a deadline that passes before the turn begins": after(
    "1 minute",
    Effect.flatMap(session(silent), ({ asking, started }) => Effect.andThen(started, asking(goInTime))),
  ),
  "too many waiting executes": Effect.gen(function* () {
    const { asking, started } = yield* session(silent)
    yield* Effect.forEach(Array(1_025), () => started)
    return yield* asking()
  }),
  "too many texts of `steer`": Effect.gen(function* () {
    const { adapter, id, started } = yield* session(silent)
    yield* started
    yield* Effect.forEach(Array(1_024), () => Effect.forkScoped(adapter.steer(id, "go"), { startImmediately: true }))
    return yield* Effect.flip(adapter.steer(id, "go"))
  }),
  "a text of `steer` between turns": Effect.flatMap(session(), ({ adapter, id }) =>
    Effect.flip(adapter.steer(id, "go")),
  ),
  "a text of `steer` for an agent that takes none": ofPlainAgent((adapter, id) => adapter.steer(id, "go")),
  "a failed turn given to `McpResponse.orFail`": Effect.gen(function* () {
    const { adapter, id } = yield* session({
      reply: () => Effect.succeed({ content: "unexpected status 401 Unauthorized", isError: true }),
    })
    return yield* Effect.flip(Effect.flatMap(adapter.execute(id, go), McpResponse.orFail))
  }),
  "a turn that a limit ended, given to `McpResponse.orFail`": Effect.gen(function* () {
    const cause = { _tag: "RateLimited", retryAfter: 90_000, window: "primary" } as const
    const { adapter, id } = yield* session({
      reply: () => Effect.succeed({ content: "You've hit your usage limit.", isError: true, cause }),
    })
    return yield* Effect.flip(Effect.flatMap(adapter.execute(id, go), McpResponse.orFail))
  }),
  "a budget that is used up": inBudget({ turns: 1 }),
  "a budget of tokens for an agent that reports none": inBudget({ tokens: 1 }),
  "a budget of cost for an agent that reports none": Effect.flatMap(
    McpBudget.make({ cost: 1 }).limit(InMemoryMcpClient.make({ provider: "my-agent" })),
    (adapter) => Effect.flip(adapter.openSession(config)),
  ),
  "a budget without tokens": budgeted({ tokens: 0 }),
  "an unknown limit of a budget": budgeted({ dollars: 5 }),
  "a negative number of attempts": Effect.flip(
    McpRetry.untilReset({ execute: () => Effect.never }, go, { attempts: -1 }),
  ),
  "a defect of a host's function": promised({ reply: () => Effect.die(new TypeError("reply.trim is not a function")) }),
  "a closed session": Effect.gen(function* () {
    const { adapter, asking, id } = yield* session()
    yield* adapter.closeSession(id)
    return yield* asking()
  }),
  "a closed session with a thread": Effect.gen(function* () {
    const { adapter, asking, id } = yield* session({
      reply: ({ emit }) => Effect.sync(() => emit({ _tag: "ThreadStarted", threadId: "one" })).pipe(Effect.as("well")),
    })
    yield* adapter.execute(id, go)
    yield* adapter.closeSession(id)
    return yield* asking()
  }),
  "a turn whose session is closed": Effect.gen(function* () {
    const { adapter, id, started } = yield* session(silent)
    const turn = yield* started
    yield* adapter.closeSession(id)
    return yield* Fiber.join(turn)
  }),
  "a closed client": Effect.flatMap(Effect.scoped(InMemoryMcpClient.make()), ({ openSession }) =>
    Effect.flip(openSession(config)),
  ),
  "a session of another client": Effect.gen(function* () {
    const { adapter } = yield* session()
    const { id } = yield* session()
    return yield* Effect.flip(adapter.execute(id, go))
  }),
  "an empty prompt": asking(""),
  "a value that is no request": asking(7),
  "a request without content": asking({ prompt: "Go" }),
  "an invalid deadline": asking({ content: "Go", deadline: "soon" }),
  "attachments that are no list": asking({ content: "Go", attachments: "page.png" }),
  "an attachment that is none": asking({ content: "Go", attachments: [{ _tag: "Image", file: "page.png" }] }),
  "an attachment that is not there": asking({ content: "Go", attachments: [{ _tag: "Image", path: "/no/page.png" }] }),
  "an attachment that is too large": asking({
    content: "Go",
    attachments: [{ _tag: "TextFile", name: "notes.md", text: "a".repeat(3_000_000) }],
  }),
  "an image for an agent that takes none": ofPlainAgent(
    executing({ attachments: [{ _tag: "Image", path: "page.png" }] }),
  ),
  "`threads` of an agent that gives no access to them": ofPlainAgent((adapter, id) => adapter.threads.list(id)),
  "options of one turn for an agent that takes none": ofPlainAgent(executing({ providerOptions: { model: "small" } })),
  "tools of one's own for an agent that takes none": Effect.flatMap(plainAgent, (adapter) =>
    Effect.flip(adapter.openSession({ ...config, tools: [tool] })),
  ),
  "an output that is no schema": asking({ content: "Go", output: "object" }),
  "an output that is no JSON Schema": asking({ content: "Go", output: { type: "object", required: "all" } }),
  "an answer that never fits, given to `McpResponse.orFail`": Effect.gen(function* () {
    const { adapter, id } = yield* session({ reply: () => Effect.succeed("It passes.") })
    const output = { type: "object", required: ["passes"] }
    return yield* Effect.flip(Effect.flatMap(adapter.execute(id, { ...go, output }), McpResponse.orFail))
  }),
  "a deadline outside of the request": Effect.promise(async () => {
    await using adapter = await McpPromiseClient.make(InMemoryMcpClient.make())
    const session = Result.getOrThrow(await adapter.openSession(config))
    return Result.getOrThrow(Result.flip(await adapter.execute(session, "Go", { deadline: "1 second" } as never)))
  }),
  "a NUL character": opening(McpConnectionConfig.stdio({ command: "my-agent", cwd: "/srv\0" })),
  "an unknown key of the configuration": opening({ ...config, timeout: "1 second" }),
  "a stdio `serverUrl` without a command": opening({ serverUrl: "codex", transport: "stdio" }),
  "a password in a URL": opening(McpConnectionConfig.sse({ url: "https://ada:secret@agents.example" })),
  "a `serverUrl` that is no URL": opening(McpConnectionConfig.streamableHttp({ url: "agents.example/mcp" })),
  "an invalid approval rule": Effect.promise(async () => {
    const approvals = { rules: [{ within: "docs", answer: "approve" }] } as const
    await using adapter = await McpPromiseClient.make(InMemoryMcpClient.make(), { approvals })
    return Result.getOrThrow(Result.flip(await adapter.openSession(config)))
  }),
  "an invalid approval rule for one session": Effect.promise(async () => {
    const approvals = { rules: [{ within: "docs", answer: "approve" }] } as const
    await using adapter = await McpPromiseClient.make(InMemoryMcpClient.make())
    return Result.getOrThrow(Result.flip(await adapter.openSession({ ...config, approvals })))
  }),
  "rules where an adapter takes a function": refused(
    config,
    InMemoryMcpClient.make({ approvals: { rules: [] } } as never),
  ),
  "an unknown option": refused({ ...config, providerOptions: { modle: "small" } }, client),
}
