/**
 * One session of a client with promises, closed by `await using`.
 */
import * as Result from "effect/Result"
import type { Abortable } from "./Abortable.ts"
import type { McpStreamed } from "./McpEvents.ts"
import * as McpPromiseThreads from "./McpPromiseThreads.ts"
import type { McpRequest } from "./McpRequest.ts"
import type { McpResponse } from "./McpResponse.ts"
import type { McpResult } from "./McpResult.ts"
import type { McpSessionId } from "./McpSessionId.ts"
import type { McpSteered } from "./McpSteer.ts"

/** A session, and the operations of its client for it. If it could not be opened, each of them fails with the reason. */
export interface McpPromiseSession extends AsyncDisposable {
  /** The id of the session, for operations of the client; `undefined` if it could not be opened. */
  readonly id: McpSessionId | undefined
  /**
   * Runs one turn; see `execute` of `McpPromiseClient`.
   *
   * @param request the prompt: a string, or an object with `content` and optionally `deadline`
   * @param options `signal` cancels the turn
   */
  readonly execute: <A = unknown>(
    request: string | McpRequest<A>,
    options?: Abortable,
  ) => Promise<McpResult<McpResponse<A>>>
  /**
   * Runs one turn, and iterates over its events and then its answer; see `stream` of `McpPromiseClient`.
   *
   * @param request the prompt: a string, or an object with `content` and optionally `deadline`
   * @param options `signal` cancels the turn
   */
  readonly stream: <A = unknown>(request: string | McpRequest<A>, options?: Abortable) => AsyncIterable<McpStreamed<A>>
  /**
   * Sends a text to the agent while it works; see `steer` of `McpPromiseClient`.
   *
   * @param content the text, of at least one character
   * @param options `signal` withdraws a text that the agent has not taken
   */
  readonly steer: (content: string, options?: Abortable) => Promise<McpResult<McpSteered>>
  /** The conversations that the agent has stored; see `threads` of `McpPromiseClient`. */
  readonly threads: McpPromiseThreads.McpSessionThreads
  /**
   * Closes the session; see `closeSession` of `McpPromiseClient`. `await using` calls it, and ignores a failure. A session
   * that could not be opened is closed.
   */
  readonly close: () => Promise<McpResult<void>>
}

/** The operations of a client. */
interface Client {
  readonly execute: <A>(
    id: McpSessionId,
    request: string | McpRequest<A>,
    options?: Abortable,
  ) => Promise<McpResult<McpResponse<A>>>
  readonly stream: <A>(
    id: McpSessionId,
    request: string | McpRequest<A>,
    options?: Abortable,
  ) => AsyncIterable<McpStreamed<A>>
  readonly steer: (id: McpSessionId, content: string, options?: Abortable) => Promise<McpResult<McpSteered>>
  readonly threads: McpPromiseThreads.McpPromiseThreads
  readonly closeSession: (id: McpSessionId) => Promise<McpResult<void>>
}

/**
 * Makes a session of a client.
 *
 * @param client the operations of the client
 * @param opened the result of its `openSession`
 */
export const make = (client: Client, opened: McpResult<McpSessionId>): McpPromiseSession => {
  if (Result.isFailure(opened)) {
    const { failure } = opened
    return {
      id: undefined,
      execute: async () => Result.fail(failure),
      steer: async () => Result.fail(failure),
      threads: McpPromiseThreads.change(client.threads, () => async () => Result.fail(failure)),
      stream: () => ({
        [Symbol.asyncIterator]: () => ({
          next: async () => {
            throw failure
          },
        }),
      }),
      close: async () => Result.void,
      [Symbol.asyncDispose]: async () => {},
    }
  }
  const id = opened.success
  const close = () => client.closeSession(id)
  return {
    id,
    execute: (request, options) => client.execute(id, request, options),
    stream: (request, options) => client.stream(id, request, options),
    steer: (content, options) => client.steer(id, content, options),
    threads: McpPromiseThreads.change(
      client.threads,
      (operation) =>
        (...args) =>
          operation(id, ...args),
    ),
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
  }
}
