/**
 * The port for code without Effect: promises of results, `AbortSignal`, `for await`, `await using`.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Abortable from "./Abortable.ts"
import { wordsOf } from "./HostCallback.ts"
import * as McpApproval from "./McpApproval.ts"
import type { McpClientAdapter, McpSupports } from "./McpClientAdapter.ts"
import type { McpConnectionConfig } from "./McpConnectionConfig.ts"
import { ConnectionUnavailable, clip, invalidConfig, type McpError } from "./McpError.ts"
import type { McpEvent } from "./McpEvents.ts"
import * as McpPromiseSession from "./McpPromiseSession.ts"
import * as McpPromiseThreads from "./McpPromiseThreads.ts"
import type { McpProvider } from "./McpProvider.ts"
import type { McpRequest } from "./McpRequest.ts"
import type { McpResult } from "./McpResult.ts"
import type { McpSessionId } from "./McpSessionId.ts"
import * as PromiseRuntime from "./PromiseRuntime.ts"
import * as TelemetryLayer from "./TelemetryLayer.ts"

/** The configuration of a session, and optionally its own approvals. */
export type SessionConfig = McpConnectionConfig & {
  /**
   * Decides what the agent asks for in this session, instead of the `approvals` of the client and of its adapter. If
   * invalid, the open fails with `InvalidRequest`, `invalid-config`.
   *
   * @example
   * ```ts
   * import { InMemoryMcpClient, type McpPromiseClient } from "@zain/core"
   *
   * const review = (client: McpPromiseClient) =>
   *   client.openSession({ ...InMemoryMcpClient.config, approvals: { rules: [{ kind: "file-change", answer: "decline" }] } })
   * ```
   */
  readonly approvals?: McpApproval.Options
}

/**
 * `McpClient`, `McpEvents`, `McpSteer` and `McpThreads` with promises. The promise of an operation resolves with an `McpResult`, a success or a
 * failure, and rejects only when the caller's `signal` aborts. `await using` closes the client at the end of its block.
 */
export interface McpPromiseClient extends McpPromiseSession.McpPromiseOperations, AsyncDisposable {
  /** The name of the agent behind this client, such as `"codex"`; every response holds it too. */
  readonly provider: McpProvider
  /** What the agent can do beyond answering a prompt, such as streaming or asking for approvals. */
  readonly supports: McpSupports
  /**
   * Connects to an MCP server and resolves with the id of a new session after the MCP handshake. The session lives
   * until `closeSession` or `close`. A failed open leaves no process, socket, timer or file behind.
   *
   * Fails with `InvalidRequest` (`invalid-config`: a value of the configuration is wrong, and `message` names its
   * path), with `ConnectionUnavailable` (such as `spawn-failed`, `not-an-mcp-server`, `unreachable`, `unauthorized`, or
   * `connect-timeout` after `connectTimeout`, 30 s by default), and with `SessionClosed` (`closed`: this client is
   * closed; `conversation-lost`: the agent has no conversation with the `threadId` in the provider's options).
   *
   * @param config the server and the limits of the connection: build it with the adapter's TransportFactory, such as
   *   `CodexTransportFactory.local()`, or with `McpConnectionConfig.stdio`, `streamableHttp` or `sse`; `approvals` beside it
   *   replace the client's for this session, as in `{ ...CodexTransportFactory.local(), approvals }`
   * @param options `signal` cancels the open; the promise then rejects with its reason
   *
   * @example
   * ```ts
   * import { InMemoryMcpClient, McpPromiseClient, McpResult } from "@zain/core"
   *
   * await using client = await McpPromiseClient.make(InMemoryMcpClient.make())
   * const session = await client.openSession(InMemoryMcpClient.config, { signal: AbortSignal.timeout(10_000) })
   * if (McpResult.isFailure(session)) console.error(session.failure.reason, session.failure.message)
   * ```
   */
  readonly openSession: (config: SessionConfig, options?: Abortable.Abortable) => Promise<McpResult<McpSessionId>>
  /**
   * The events of a session from the start of the iteration on: text as the agent writes it, tool calls, approvals,
   * usage. Start to iterate before the `execute` whose events you need, for example in an async function that you call
   * without `await`. `TurnCompleted` and `TurnFailed` end the events of one turn; the iteration goes on until the session
   * closes. Its first step, not this call, throws `SessionNotFound` or `SessionClosed` for a session that is not open.
   *
   * @param sessionId an id that `openSession` of this client returned
   *
   * @example
   * ```ts
   * import type { McpPromiseClient, McpSessionId } from "@zain/core"
   *
   * const print = async (client: McpPromiseClient, session: McpSessionId) => {
   *   for await (const event of client.events(session)) {
   *     if (event._tag === "TextDelta") process.stdout.write(event.text)
   *     if (event._tag === "TurnCompleted") process.stdout.write("\n")
   *   }
   * }
   *
   * const stream = async (client: McpPromiseClient, session: McpSessionId, prompts: ReadonlyArray<string>) => {
   *   const printed = print(client, session)
   *   for (const prompt of prompts) await client.execute(session, prompt)
   *   await client.closeSession(session)
   *   await printed
   * }
   * ```
   *
   * @see McpEvents
   */
  readonly events: (sessionId: McpSessionId) => AsyncIterable<McpEvent>
  /**
   * Opens a session as an object that `await using` closes. If it cannot be opened, its operations fail with the reason, so
   * that the first of them tells it.
   *
   * @param config the server and the limits of the connection, as for `openSession`
   * @param options `signal` cancels the open; the promise then rejects with its reason
   *
   * @example
   * ```ts
   * import { InMemoryMcpClient, McpPromiseClient, McpResponse } from "@zain/core"
   *
   * await using client = await McpPromiseClient.make(InMemoryMcpClient.make())
   * await using session = await client.session(InMemoryMcpClient.config)
   * console.log(McpResponse.getOrThrow(await session.execute("hello")).content)
   * ```
   */
  readonly session: (
    config: SessionConfig,
    options?: Abortable.Abortable,
  ) => Promise<McpPromiseSession.McpPromiseSession>
  /**
   * Closes every session and resolves after their processes have ended; `await using` calls it. Later calls wait for
   * the same end. An operation that has not ended a second later fails with `SessionClosed` (`closed`), delivery
   * `unknown`.
   *
   * @see docs/internals/promises.md, 12 and 13
   */
  readonly close: () => Promise<void>
}

/** The options of `McpPromiseClient.make`: how approvals are decided, and where telemetry goes. Both are optional. */
export interface Options {
  /**
   * Rules and a callback that decide, in all sessions of this client, what the agent asks for, as for
   * `McpApproval.make`. If omitted, every request is declined. If invalid, every `openSession` fails with
   * `InvalidRequest`, `invalid-config`. What the agent does without asking depends on its own options, such as
   * `approvalPolicy` and `sandbox` of Codex and `permissionMode` of Claude Code, and by default on its user's settings.
   * An adapter that was made with `approvals` of its own ignores these, but invalid ones fail all the same.
   *
   * @example
   * ```ts
   * import { InMemoryMcpClient, McpPromiseClient } from "@zain/core"
   *
   * await using client = await McpPromiseClient.make(InMemoryMcpClient.make(), {
   *   approvals: { rules: [{ kind: "file-change", within: "/srv/project", answer: "approve" }] },
   * })
   * ```
   *
   * @see McpApproval.Options
   */
  readonly approvals?: McpApproval.Options
  /**
   * A Layer with a tracer and exporters that receive the client's spans and metrics, such as Effect's `Otlp.layerJson`,
   * or those of `@effect/opentelemetry`. If omitted, nothing is measured. `make` builds it, and `close` releases it
   * last, so that it can export what it holds, within 5 seconds. Each client builds its own; to share one, pass a Layer
   * of a built context.
   *
   * @see docs/guides/observe.md
   */
  readonly telemetry?: Layer.Layer<never>
}

/**
 * Makes a client with promises from an adapter. Close it with `await using` or `close`.
 *
 * @param adapter the Effect that an adapter's `make` returns, such as `CodexMcpClientAdapter.make()`
 * @param options `approvals`, the policy of approvals, and `telemetry`; without them every request for approval is
 *   declined, unless the adapter has `approvals` of its own, and nothing is measured
 *
 * @example
 * ```ts
 * import { InMemoryMcpClient, McpPromiseClient } from "@zain/core"
 *
 * await using client = await McpPromiseClient.make(InMemoryMcpClient.make())
 * const session = await client.openSession(InMemoryMcpClient.config)
 * if (session._tag === "Success") console.log(await client.execute(session.success, "hello"))
 * ```
 */
export const make = async (
  adapter: Effect.Effect<McpClientAdapter, never, Scope.Scope>,
  options: Options = {},
): Promise<McpPromiseClient> => {
  const scope = Scope.makeUnsafe()
  const { approvals, telemetry } = options
  const problem = approvals === undefined ? undefined : McpApproval.problem(approvals)
  const watching =
    telemetry === undefined ? TelemetryLayer.noTelemetry : await Effect.runPromise(TelemetryLayer.build(telemetry))
  const client = await start(adapter, approvals).pipe(
    Scope.provide(scope),
    Effect.onError((cause) => Effect.ensuring(Scope.close(scope, Exit.failCause(cause)), watching.end)),
    Effect.runPromiseWith(watching.context),
  )
  const runtime = PromiseRuntime.make(watching.context)
  const run = <A>(operation: Effect.Effect<A, McpError>, options?: Abortable.Abortable, hint?: string) =>
    settle(runtime, operation, options, hint)
  const end = async () => {
    try {
      await Effect.runPromise(Scope.close(scope, Exit.void))
    } finally {
      const over = runtime.end()
      // Spans of operations under way end before their exporter does. Without telemetry, `close` does not await operations.
      if (telemetry !== undefined) {
        await over
        await Effect.runPromise(watching.end)
      }
    }
  }
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= end()
    return closed
  }
  const self: McpPromiseClient = {
    provider: client.provider,
    supports: client.supports,
    session: async (config, options) => McpPromiseSession.make(self, await self.openSession(config, options)),
    openSession: (config, options) =>
      run(
        problem === undefined || closed !== undefined
          ? openWith(client, config)
          : Effect.fail(invalidConfig(`The \`approvals\` of this client are wrong: ${problem}.`)),
        options,
      ),
    execute: (sessionId, request, options) =>
      run(client.execute(sessionId, requestOf(request)), options, Abortable.deadlineHint),
    stream: (sessionId, request, options) =>
      Stream.toAsyncIterableWith(
        Abortable.stream(Stream.interruptWhen(client.stream(sessionId, requestOf(request)), runtime.over), options),
        watching.context,
      ),
    steer: (sessionId, content, options) => run(client.steer(sessionId, content), options),
    threads: McpPromiseThreads.make(client.threads, run),
    closeSession: (sessionId) => run(client.closeSession(sessionId)),
    events: (sessionId) => Stream.toAsyncIterable(client.events(sessionId)),
    close,
    [Symbol.asyncDispose]: close,
  }
  return self
}

const requestOf = <A>(request: string | McpRequest<A>): McpRequest<A> =>
  typeof request === "string" ? { content: request } : request

/** Opens a session with the approvals of its configuration, if it has any. */
const openWith = (client: McpClientAdapter, given: SessionConfig) => {
  const { approvals, ...config } = Object(given) as SessionConfig
  if (approvals === undefined) return client.openSession(given)
  const problem = McpApproval.problem(approvals)
  return problem === undefined
    ? Effect.provideService(client.openSession(config), McpApproval.McpSessionApproval, McpApproval.make(approvals))
    : Effect.fail(invalidConfig(`The \`approvals\` of this session are wrong: ${problem}.`))
}

const start = (adapter: Effect.Effect<McpClientAdapter, never, Scope.Scope>, approvals: Options["approvals"]) =>
  approvals === undefined
    ? adapter
    : Effect.suspend(() => Effect.provideService(adapter, McpApproval.McpApproval, McpApproval.make(approvals)))

const settle = async <A>(
  { run }: PromiseRuntime.PromiseRuntime,
  operation: Effect.Effect<A, McpError>,
  options: Abortable.Abortable = {},
  hint = "",
): Promise<McpResult<A>> => {
  const problem = Abortable.problem(options)
  if (problem !== undefined) return Result.fail(located(invalidConfig(`${problem}${hint}`)))
  const { signal } = options
  signal?.throwIfAborted()
  const exit = await run(operation, signal)
  if (Exit.isSuccess(exit)) return Result.succeed(exit.value)
  if (Cause.hasInterruptsOnly(exit.cause)) signal?.throwIfAborted()
  for (const reason of exit.cause.reasons) {
    if (reason._tag === "Fail") return Result.fail(located(reason.error))
  }
  return Result.fail(located(defect(Cause.squash(exit.cause))))
}

/**
 * Sets the stack to the caller's, so that a thrown failure points at the call and not at the module that made the
 * error.
 */
const located = (error: McpError): McpError => {
  try {
    Error.captureStackTrace(error, settle)
  } catch {
    // An adapter's error may be frozen.
  }
  return error
}

/** A defect is a bug in Zain or in a callback. It becomes a failure, so that it cannot end the process. */
const defect = (cause: unknown) =>
  new ConnectionUnavailable({
    reason: "protocol-violation",
    message: clip(
      `A function that was given to Zain threw, or Zain has a bug: ${clip(wordsOf(cause), 600).replace(/\.$/, "")}. See \`cause\`.`,
    ),
    delivery: "unknown",
    cause,
  })
