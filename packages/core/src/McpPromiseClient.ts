/**
 * The port for code without Effect: promises of results, `AbortSignal`, `for await`, `await using`.
 */
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
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
import * as Watched from "./Watched.ts"

/** A prompt, and how long its answer may take: a duration such as "5 minutes", or a number of milliseconds. */
export interface PromiseRequest {
  readonly content: string
  readonly deadline?: Duration.Input
}

/** `signal`: gives the operation up. Its promise then rejects with the signal's reason, as the platform's own do. */
export interface Abortable {
  readonly signal?: AbortSignal
}

/**
 * `McpClient` and `McpEvents` with promises. A promise resolves with a result, whatever happened to the server; it
 * rejects only when the caller's own `signal` aborts.
 */
export interface McpPromiseClient extends AsyncDisposable {
  readonly provider: McpProvider
  readonly supports: McpSupports
  readonly openSession: (config: McpConnectionConfig, options?: Abortable) => Promise<McpResult<McpSessionId>>
  readonly execute: (
    sessionId: McpSessionId,
    request: string | PromiseRequest,
    options?: Abortable,
  ) => Promise<McpResult<McpResponse>>
  readonly closeSession: (sessionId: McpSessionId) => Promise<McpResult<void>>
  /** What happens in a session while the iteration runs. Throws the error of a session that is not open. */
  readonly events: (sessionId: McpSessionId) => AsyncIterable<McpEvent>
  /** Closes every session. Whoever calls it again waits for the same end. */
  readonly close: () => Promise<void>
}

/**
 * - `approvals`: who decides what the agent may do; an adapter's own `approvals` come first. Nobody by default: declined
 * - `telemetry`: who hears of spans and metrics, as a Layer of a tracer and whatever else. Nobody by default. `close` ends
 *   it last, so that it can send what it holds
 *
 * @see docs/observability.md
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
 * **Example**
 *
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
  const { client, watched } = await Scope.provide(start(adapter, options), scope).pipe(
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
    Effect.runPromise,
  )
  const run = <A>(operation: Effect.Effect<A, McpError>, options?: Abortable) => settle(watched(operation), options)
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= Effect.runPromise(Scope.close(scope, Exit.void))
    return closed
  }
  return {
    provider: client.provider,
    supports: client.supports,
    openSession: (config, options) => run(client.openSession(config), options),
    execute: (sessionId, request, options) =>
      // The runtime parses what it is given, durations in words too.
      run(
        client.execute(sessionId, (typeof request === "string" ? { content: request } : request) as McpRequest),
        options,
      ),
    closeSession: (sessionId) => run(client.closeSession(sessionId)),
    events: (sessionId) => Stream.toAsyncIterable(client.events(sessionId)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The client, and what runs its operations before those who watch. */
const start = Effect.fnUntraced(function* (
  adapter: Effect.Effect<McpClientAdapter, never, Scope.Scope>,
  { approvals, telemetry }: Options,
) {
  const watched = telemetry === undefined ? identity : yield* Watched.make(telemetry)
  const made = watched(adapter)
  const client = yield* approvals === undefined
    ? made
    : Effect.provideService(made, McpApproval.McpApproval, McpApproval.make(approvals))
  return { client, watched }
})

const settle = async <A>(operation: Effect.Effect<A, McpError>, options: Abortable = {}): Promise<McpResult<A>> => {
  const { signal } = options
  signal?.throwIfAborted()
  const exit = await Effect.runPromiseExit(operation, signal === undefined ? undefined : { signal })
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
  // Somebody else's error may be frozen.
  if (Object.isExtensible(error)) Error.captureStackTrace(error, settle)
  return error
}

/** A defect is a bug of ours or of a callback. It must not take the process down. */
const defect = (cause: unknown) =>
  new ConnectionUnavailable({
    reason: "protocol-violation",
    message: clip(
      "A function that was given to Zain threw, or Zain has a bug: " +
        `${String(cause instanceof Error ? cause.message : cause).replace(/\.$/, "")}. See \`cause\`.`,
    ),
    delivery: "unknown",
    cause,
  })
