/**
 * The port beside the port for the conversations that an agent has stored.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { McpError } from "./McpError.ts"
import type { McpEventContent } from "./McpEvents.ts"
import type { McpSessionId } from "./McpSessionId.ts"

/** A conversation that an agent has stored. Times are in milliseconds since 1970. */
export const McpThread = Schema.Struct({
  /** The id for `threadId` of a session's options. */
  threadId: Schema.String,
  /** The directory where it began, as an absolute path. */
  cwd: Schema.String,
  /** The title that a user or the agent gave it; absent if it has none. */
  title: Schema.optionalKey(Schema.String),
  /** The first prompt; cut after 1,000 characters. */
  firstPrompt: Schema.optionalKey(Schema.String),
  /** When it began. */
  createdAt: Schema.optionalKey(Schema.Finite),
  /** When it changed last. */
  updatedAt: Schema.optionalKey(Schema.Finite),
  /** The model that answered last. */
  model: Schema.optionalKey(Schema.String),
  /** Whether it is archived. */
  isArchived: Schema.Boolean,
})
/** A conversation that an agent has stored. Times are in milliseconds since 1970. */
export interface McpThread extends Schema.Schema.Type<typeof McpThread> {}

/** A part of a list of threads. */
export const McpThreadPage = Schema.Struct({
  /** The threads, those that changed last first. */
  threads: Schema.Array(McpThread),
  /** `cursor` of the next page; absent on the last one. */
  next: Schema.optionalKey(Schema.String),
})
/** A part of a list of threads. */
export interface McpThreadPage extends Schema.Schema.Type<typeof McpThreadPage> {}

/** Which threads `list` returns. */
export interface McpThreadQuery {
  /** Only threads that began in this directory, an absolute path. If omitted, those of every directory. */
  readonly cwd?: string
  /** `next` of the page before. If omitted, the first page. */
  readonly cursor?: string
  /** The most threads of a page, 1 to 100. Default: 50. */
  readonly limit?: number
  /** Whether to list archived threads in place of the others. Default: `false`. */
  readonly archived?: boolean
}

/** One turn of a stored conversation. */
export interface McpThreadTurn {
  /** The id for `turn` of `fork`. */
  readonly turn: string
  /** The prompt, with texts of `steer` after it, each after an empty line; cut after 64 KiB. */
  readonly prompt: string
  /** When it began, in milliseconds since 1970; absent if the agent does not store it. */
  readonly at?: number
  /** The messages and tool calls, in order, as the events of a session. Texts are cut after 16 KiB, messages after 64 KiB. */
  readonly events: ReadonlyArray<McpEventContent>
  /** How many events before `events` are left out, as they exceed 256 KiB or 1,000; absent for none. */
  readonly omitted?: number
}

/** A part of a stored conversation. */
export interface McpThreadTurns {
  /** The turns, oldest first. */
  readonly turns: ReadonlyArray<McpThreadTurn>
  /** `cursor` of the next page; absent on the last one. */
  readonly next?: string
}

/** Which turns `read` returns. */
export interface McpTurnQuery {
  /** `next` of the page before. If omitted, the first page. */
  readonly cursor?: string
  /** The most turns of a page, 1 to 16. Default: 16. */
  readonly limit?: number
}

/** Where `fork` cuts. */
export interface McpForkOptions {
  /** The id of the last turn that the fork has, as `read` returns it. If omitted, all. */
  readonly turn?: string
}

/**
 * The conversations that an agent has stored, also those of its own command line, for adapters whose `supports.threads` is
 * true. Each operation uses the connection of an open session, whose own thread is not affected, and needs no turn.
 *
 * All fail with `SessionNotFound` (`unknown-session`), `SessionClosed` (`closed`; `conversation-lost`: the agent does not have
 * the thread), `InvalidRequest` (`not-supported`; `invalid-config`: an argument is wrong; `rejected-by-server`: such as
 * another process that holds a thread to be changed) and `ConnectionUnavailable` (such as `stalled` after `idleTimeout`). A server with roots has only the threads
 * that began inside of them.
 *
 * @example
 * ```ts
 * import { type McpSessionId, McpThreads } from "@zain/core"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.fn(function* (session: McpSessionId) {
 *   const threads = yield* McpThreads
 *   const { threads: [newest] } = yield* threads.list(session, { cwd: "/srv/project", limit: 1 })
 *   return newest === undefined ? undefined : yield* threads.fork(session, newest.threadId)
 * })
 * ```
 *
 * @see docs/guides/conversations.md
 */
export interface McpThreads {
  /**
   * Lists threads, those that changed last first.
   *
   * @param sessionId an id that `openSession` of this client returned
   * @param query directory, page and archive; by default the first 50 that are not archived
   */
  readonly list: (sessionId: McpSessionId, query?: McpThreadQuery) => Effect.Effect<McpThreadPage, McpError>
  /**
   * Reads the turns of a thread, oldest first.
   *
   * @param sessionId an id that `openSession` of this client returned
   * @param threadId the thread
   * @param query the page; by default the first 16 turns
   */
  readonly read: (
    sessionId: McpSessionId,
    threadId: string,
    query?: McpTurnQuery,
  ) => Effect.Effect<McpThreadTurns, McpError>
  /**
   * Copies a thread, and returns the `threadId` of the copy, which has the options of its origin. Its turns do not appear in
   * the origin.
   *
   * @param sessionId an id that `openSession` of this client returned
   * @param threadId the thread to copy
   * @param options the last turn that the copy has
   */
  readonly fork: (
    sessionId: McpSessionId,
    threadId: string,
    options?: McpForkOptions,
  ) => Effect.Effect<string, McpError>
  /**
   * Gives a thread a title.
   *
   * @param sessionId an id that `openSession` of this client returned
   * @param threadId the thread
   * @param title 1 to 200 characters, not only spaces
   */
  readonly rename: (sessionId: McpSessionId, threadId: string, title: string) => Effect.Effect<void, McpError>
  /**
   * Removes a thread from the usual list, and keeps it. Codex does not continue an archived thread; Claude Code does.
   *
   * @param sessionId an id that `openSession` of this client returned
   * @param threadId the thread
   */
  readonly archive: (sessionId: McpSessionId, threadId: string) => Effect.Effect<void, McpError>
  /**
   * Returns an archived thread to the usual list.
   *
   * @param sessionId an id that `openSession` of this client returned
   * @param threadId the thread
   */
  readonly unarchive: (sessionId: McpSessionId, threadId: string) => Effect.Effect<void, McpError>
  /**
   * Deletes what the agent has stored of a thread, for good. A session of it fails from then on.
   *
   * @param sessionId an id that `openSession` of this client returned
   * @param threadId the thread
   */
  readonly delete: (sessionId: McpSessionId, threadId: string) => Effect.Effect<void, McpError>
}

/** The service of Effect for stored conversations: `yield* McpThreads`. `McpClientAdapter.layer` provides it. */
export const McpThreads = Context.Service<McpThreads>("@zain/core/McpThreads")
