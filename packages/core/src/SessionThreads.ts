/**
 * `McpThreads` over the connections of sessions.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { AgentConnection, AgentThreads } from "./AgentConnection.ts"
import * as KeepAlive from "./KeepAlive.ts"
import type { Parsed } from "./McpConnectionConfig.ts"
import { invalidConfig, type McpError } from "./McpError.ts"
import type { McpProvider } from "./McpProvider.ts"
import type { McpSessionId } from "./McpSessionId.ts"
import type { McpThreads } from "./McpThreads.ts"
import * as SessionFailure from "./SessionFailure.ts"

/** An open session. `gone`: the error that its operations fail with when it closes; made by the first of them. */
export interface OpenSession {
  readonly config: Pick<Parsed, "idleTimeout">
  readonly connection: AgentConnection
  gone: Deferred.Deferred<never, McpError> | undefined
}

/** An operation beside the turns, which fails when its session closes. */
export const whileOpen = <A>(
  session: OpenSession,
  operation: Effect.Effect<A, McpError>,
): Effect.Effect<A, McpError> => {
  session.gone ??= Deferred.makeUnsafe()
  return Effect.raceFirst(operation, Deferred.await(session.gone))
}

/** The most of a page. */
const [maxThreads, maxTurns] = [100, 16]

/** The longest title, in characters, as for `rename`. */
const maxTitleLength = 200

/**
 * Makes the operations.
 *
 * @param opened the session of an id, or why it is not open
 */
export const make = (
  provider: McpProvider,
  opened: (sessionId: McpSessionId) => Result.Result<OpenSession, McpError>,
): McpThreads => {
  const using = <A>(
    sessionId: McpSessionId,
    problem: string | undefined,
    use: (threads: AgentThreads) => Effect.Effect<A, McpError>,
  ): Effect.Effect<A, McpError> =>
    Effect.suspend(() => {
      const session = opened(sessionId)
      if (Result.isFailure(session)) return Effect.fail(session.failure)
      const { config, connection } = session.success
      if (connection.threads === undefined) return Effect.fail(SessionFailure.noThreads(provider))
      if (problem !== undefined) return Effect.fail(invalidConfig(problem))
      const answered = whileOpen(session.success, use(connection.threads))
      const orElse = () => Effect.fail(SessionFailure.stalled(provider, config.idleTimeout))
      return KeepAlive.during(Effect.timeoutOrElse(answered, { duration: config.idleTimeout, orElse }))
    })
  const change = (sessionId: McpSessionId, threadId: string, what: Parameters<AgentThreads["change"]>[1]) =>
    using(sessionId, wrongText("threadId", threadId), (threads) => threads.change(threadId, what))
  return {
    list: (sessionId, query = {}) => {
      const { archived = false, cursor, cwd, limit = 50 } = Object(query)
      const problem =
        wrongLimit(limit, maxThreads) ??
        wrongText("cwd", cwd ?? "/") ??
        wrongText("cursor", cursor ?? "0") ??
        (typeof archived === "boolean" ? undefined : "`archived` must be true or false.")
      return using(sessionId, problem, (threads) => threads.list({ archived, limit, ...given({ cursor, cwd }) }))
    },
    read: (sessionId, threadId, query = {}) => {
      const { cursor, limit = maxTurns } = Object(query)
      const problem =
        wrongText("threadId", threadId) ?? wrongLimit(limit, maxTurns) ?? wrongText("cursor", cursor ?? "0")
      return using(sessionId, problem, (threads) => threads.read(threadId, { limit, ...given({ cursor }) }))
    },
    fork: (sessionId, threadId, options = {}) => {
      const { turn } = Object(options)
      const problem = wrongText("threadId", threadId) ?? wrongText("turn", turn ?? "0")
      return using(sessionId, problem, (threads) => threads.fork(threadId, turn))
    },
    rename: (sessionId, threadId, title) => {
      const wrong = wrongText("threadId", threadId) ?? wrongTitle(title)
      return using(sessionId, wrong, (threads) => threads.change(threadId, { action: "rename", title: title.trim() }))
    },
    archive: (sessionId, threadId) => change(sessionId, threadId, { action: "archive" }),
    unarchive: (sessionId, threadId) => change(sessionId, threadId, { action: "unarchive" }),
    delete: (sessionId, threadId) => change(sessionId, threadId, { action: "delete" }),
  }
}

/** The members that have a value. */
const given = (members: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

const wrongText = (name: string, text: unknown): string | undefined =>
  typeof text === "string" && text !== "" ? undefined : `\`${name}\` must be a string of at least one character.`

const wrongLimit = (limit: unknown, max: number): string | undefined =>
  Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= max
    ? undefined
    : `\`limit\` must be a whole number from 1 to ${max}.`

const wrongTitle = (title: unknown): string | undefined =>
  typeof title === "string" && title.trim() !== "" && title.length <= maxTitleLength
    ? undefined
    : `\`title\` must be a string of 1 to ${maxTitleLength} characters, not only spaces.`
