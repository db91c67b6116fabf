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

/** The operations of a client that its sessions have too. */
export interface McpPromiseOperations {
  /**
   * Sends one prompt and resolves with the agent's whole answer. The first `execute` of a session starts its
   * conversation, later ones continue it. A session takes one turn at a time, in the order of the calls; up to
   * `maxWaiting` calls wait. `events` has the answer's pieces while the agent works.
   *
   * A turn that fails on the agent's side is a success with `isError: true`; `McpResponse.getOrThrow` throws it as an
   * `McpError`, as it throws failures. Fails with `InvalidRequest`
   * (`empty-content`, `invalid-config`, `not-supported`, `rejected-by-server`), `SessionNotFound` (`unknown-session`), `SessionClosed`
   * (`closed`, `conversation-lost`) and `ConnectionUnavailable` (such as `deadline-exceeded` after the request's
   * `deadline`, `stalled` after `idleTimeout` of silence, `server-exited`, `rate-limited`). Check `failure.delivery`
   * before sending the prompt again.
   *
   * @param sessionId an id that `openSession` of this client returned
   * @param request the prompt: a string, or an object with `content` and optionally `deadline`, which limits the whole
   *   call, the wait for its turn included, and `output`, the schema of the answer
   * @param options `signal` cancels the turn, here and on the server; the promise then rejects with its reason, such as
   *   the `TimeoutError` of `AbortSignal.timeout(3_000)`. The conversation continues with the next `execute` if
   *   `supports.cancelKeepsConversation` is true
   *
   * @example
   * ```ts
   * import { InMemoryMcpClient, McpPromiseClient, McpResult } from "@zain/core"
   *
   * await using client = await McpPromiseClient.make(InMemoryMcpClient.make())
   * const session = McpResult.getOrThrow(await client.openSession(InMemoryMcpClient.config))
   * const answer = await client.execute(session, { content: "hello", deadline: "5 minutes" })
   * console.log(McpResult.isSuccess(answer) ? answer.success.content : answer.failure.message)
   * ```
   */
  readonly execute: <A = unknown>(
    sessionId: McpSessionId,
    request: string | McpRequest<A>,
    options?: Abortable,
  ) => Promise<McpResult<McpResponse<A>>>
  /**
   * Runs one turn, as `execute` does, and iterates over its events in order, from `TurnStarted` on, and then over its
   * answer as `Response`. A failure is thrown after the events of the turn. Each iteration is a turn of its own; leaving it
   * early, by `break` for example, cancels the turn on the server too.
   *
   * @param sessionId an id that `openSession` of this client returned
   * @param request the prompt, as for `execute`
   * @param options `signal` cancels the turn; the iteration then throws its reason
   *
   * @example
   * ```ts
   * import type { McpPromiseClient, McpSessionId } from "@zain/core"
   *
   * const print = async (client: McpPromiseClient, session: McpSessionId, prompt: string) => {
   *   for await (const piece of client.stream(session, prompt)) {
   *     if (piece._tag === "TextDelta") process.stdout.write(piece.text)
   *     if (piece._tag === "Response") console.log(piece.response.usage)
   *   }
   * }
   * ```
   *
   * @see McpEvents
   */
  readonly stream: <A = unknown>(
    sessionId: McpSessionId,
    request: string | McpRequest<A>,
    options?: Abortable,
  ) => AsyncIterable<McpStreamed<A>>
  /**
   * Sends a text to the agent while it works, and resolves when it is known what became of it: `applied` if the turn under
   * way has it, `queued` if that turn ended before, so that it precedes the prompt of the session's next `execute`.
   *
   * Fails with `InvalidRequest` (`no-turn`: no turn is under way; `empty-content`; `not-supported`), `SessionNotFound`,
   * `SessionClosed` and `ConnectionUnavailable`, as `steer` of `McpSteer`.
   *
   * @param sessionId an id that `openSession` of this client returned
   * @param content the text, of at least one character
   * @param options `signal` withdraws a text that the agent has not taken; the promise then rejects with its reason
   *
   * @example
   * ```ts
   * import type { McpPromiseClient, McpSessionId } from "@zain/core"
   *
   * const run = async (client: McpPromiseClient, session: McpSessionId) => {
   *   const turn = client.execute(session, "Port the tests to vitest.")
   *   setTimeout(() => client.steer(session, "Leave the snapshots alone."), 60_000)
   *   return await turn
   * }
   * ```
   *
   * @see docs/guides/steer.md
   */
  readonly steer: (sessionId: McpSessionId, content: string, options?: Abortable) => Promise<McpResult<McpSteered>>
  /**
   * The conversations that the agent has stored: `list`, `read`, `fork`, `rename`, `archive`, `unarchive` and `delete`, each
   * over the connection of an open session.
   *
   * @example
   * ```ts
   * import type { McpPromiseClient, McpSessionId } from "@zain/core"
   *
   * const titles = async (client: McpPromiseClient, session: McpSessionId) => {
   *   const page = await client.threads.list(session, { limit: 10 })
   *   return page._tag === "Success" ? page.success.threads.map(({ title, firstPrompt }) => title ?? firstPrompt) : []
   * }
   * ```
   *
   * @see docs/guides/conversations.md
   */
  readonly threads: McpPromiseThreads.McpPromiseThreads
  /**
   * Ends the session and its turn under way, if any, and resolves after all of the session's processes have ended: at
   * most `closeGrace` (2 s by default) and one second later. A closed session never opens again.
   *
   * Fails with `SessionNotFound` (`unknown-session`), and with `SessionClosed` (`closed`) for a session that is closed
   * or closing already.
   *
   * @param sessionId an id that `openSession` of this client returned
   */
  readonly closeSession: (sessionId: McpSessionId) => Promise<McpResult<void>>
}

/**
 * Makes a session of a client.
 *
 * @param client the operations of the client
 * @param opened the result of its `openSession`
 */
export const make = (client: McpPromiseOperations, opened: McpResult<McpSessionId>): McpPromiseSession => {
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
