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
import * as McpApproval from "./McpApproval.ts"
import type { McpClientAdapter, McpSupports } from "./McpClientAdapter.ts"
import type { McpConnectionConfig } from "./McpConnectionConfig.ts"
import { ConnectionUnavailable, clip, type McpError } from "./McpError.ts"
import type { McpEvent } from "./McpEvents.ts"
import type { McpProvider } from "./McpProvider.ts"
import type { McpRequest } from "./McpRequest.ts"
import type { McpResponse } from "./McpResponse.ts"
import type { McpResult } from "./McpResult.ts"
import type { McpSessionId } from "./McpSessionId.ts"
import * as PromiseRuntime from "./PromiseRuntime.ts"
import * as TelemetryLayer from "./TelemetryLayer.ts"

/** `signal`: gives the operation up. Its promise then rejects with the signal's reason, as the platform's own do. */
export interface Abortable {
  readonly signal?: AbortSignal
}

/**
 * `McpClient` and `McpEvents` with promises. The promise of an operation resolves with a result, whatever happened to the
 * server; it rejects only when the caller's own `signal` aborts. `events` has no result to give: its iteration throws the
 * error of a session that is not open, `SessionNotFound` or `SessionClosed`.
 */
export interface McpPromiseClient extends AsyncDisposable {
  readonly provider: McpProvider
  readonly supports: McpSupports
  readonly openSession: (config: McpConnectionConfig, options?: Abortable) => Promise<McpResult<McpSessionId>>
  readonly execute: (
    sessionId: McpSessionId,
    request: string | McpRequest,
    options?: Abortable,
  ) => Promise<McpResult<McpResponse>>
  readonly closeSession: (sessionId: McpSessionId) => Promise<McpResult<void>>
  /**
   * What happens in a session while the iteration runs. It ends with the session. While iterating, not here, it throws the
   * error of a session that is not open.
   */
  readonly events: (sessionId: McpSessionId) => AsyncIterable<McpEvent>
  /**
   * Closes every session. Whoever calls it again waits for the same end. An operation that has not ended a second later is
   * given up: `SessionClosed`, delivery `unknown`.
   */
  readonly close: () => Promise<void>
}

/**
 * - `approvals`: who decides what the agent may do; an adapter's own `approvals` come first. Nobody by default: declined
 * - `telemetry`: who hears of spans and metrics, as a Layer of a tracer and whatever else. Nobody by default. `close` ends
 *   it last, so that it can send what it holds. Each client builds its Layer: several share one that is built already
 *
 * @see docs/guides/observe.md
 */
export interface Options {
  readonly approvals?: McpApproval.Options
  readonly telemetry?: Layer.Layer<never>
}

/**
 * An adapter behind promises.
 *
 * @param adapter what an adapter's `make` returns
 * @param options `approvals`: who decides what the agent may do, as for `McpApproval.make`; `ask` may be an async function.
 *   `telemetry`: a Layer with a tracer, such as Effect's `Otlp.layerJson`, or those of `@effect/opentelemetry`
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
  const watching =
    telemetry === undefined ? TelemetryLayer.noTelemetry : await Effect.runPromise(TelemetryLayer.build(telemetry))
  const client = await start(adapter, approvals).pipe(
    Scope.provide(scope),
    Effect.onError((cause) => Effect.ensuring(Scope.close(scope, Exit.failCause(cause)), watching.end)),
    Effect.runPromiseWith(watching.context),
  )
  const runtime = PromiseRuntime.make(watching.context)
  const run = <A>(operation: Effect.Effect<A, McpError>, options?: Abortable) => settle(runtime, operation, options)
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
  return {
    provider: client.provider,
    supports: client.supports,
    openSession: (config, options) => run(client.openSession(config), options),
    execute: (sessionId, request, options) =>
      run(client.execute(sessionId, typeof request === "string" ? { content: request } : request), options),
    closeSession: (sessionId) => run(client.closeSession(sessionId)),
    events: (sessionId) => Stream.toAsyncIterable(client.events(sessionId)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const start = (adapter: Effect.Effect<McpClientAdapter, never, Scope.Scope>, approvals: Options["approvals"]) =>
  approvals === undefined
    ? adapter
    : Effect.suspend(() => Effect.provideService(adapter, McpApproval.McpApproval, McpApproval.make(approvals)))

const settle = async <A>(
  { run }: PromiseRuntime.PromiseRuntime,
  operation: Effect.Effect<A, McpError>,
  { signal }: Abortable = {},
): Promise<McpResult<A>> => {
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
 * Whoever throws the error looks for the line that asked: the stack is that of the caller, who waits, and not that of the
 * module that made the error.
 */
const located = (error: McpError): McpError => {
  try {
    Error.captureStackTrace(error, settle)
  } catch {
    // Somebody else's error may be frozen.
  }
  return error
}

/** A defect is a bug of ours or of a callback. It must not take the process down. */
const defect = (cause: unknown) =>
  new ConnectionUnavailable({
    reason: "protocol-violation",
    message: clip(
      `A function that was given to Zain threw, or Zain has a bug: ${clip(wordsOf(cause), 600).replace(/\.$/, "")}. See \`cause\`.`,
    ),
    delivery: "unknown",
    cause,
  })

/** Anything may be thrown, also what has no words, or throws when it is asked for them. */
const wordsOf = (cause: unknown): string => {
  try {
    return String(cause instanceof Error ? cause.message : cause) || "it does not say what"
  } catch {
    return "what it threw has no words"
  }
}
