/**
 * MCP servers that a session hands to a thread. They are kept in memory, and a record of the thread has only their names.
 *
 * @see docs/guides/mcp-servers.md; docs/internals/promises.md, 19, 41 and 47
 */
import { clip } from "@zain/core/McpError"
import type { McpEventContent } from "@zain/core/McpEvents"
import { secretsOf, type ThreadServers } from "@zain/process/McpServerOption"
import * as Redactor from "@zain/process/Redactor"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type AgentError, invalidConfig } from "./AgentError.ts"
import { putNewest, type ThreadStore } from "./ThreadStore.ts"

type Servers = NonNullable<ThreadServers>

/** The servers that are given, by their names. */
export const given = (servers: ThreadServers = {}) =>
  Object.entries(servers).flatMap(([name, server]) => (server.type === "lacking" ? [] : [[name, server] as const]))

/** Whether a server is given that must start. */
export const isRequired = (servers: ThreadServers): boolean =>
  given(servers).some(([, { required }]) => required === true)

/** Remembers which threads of a client have servers. They are forgotten with the Scope. */
export const holder = Effect.fnUntraced(function* (
  forget: (threadId: string) => void,
): Effect.fn.Return<
  (threadId: string, options: { readonly mcpServers?: ThreadServers } | undefined) => void,
  never,
  Scope.Scope
> {
  const handed = new Set<string>()
  yield* Effect.addFinalizer(() => Effect.sync(() => handed.forEach(forget)))
  return (threadId, options) => {
    if (given(options?.mcpServers).length > 0) handed.add(threadId)
  }
})

const lacking = (servers: Servers): Servers =>
  Object.fromEntries(
    Object.entries(servers).map(([name, { required }]) => [
      name,
      { type: "lacking", ...(required === true ? { required } : {}) },
    ]),
  )

/** Removes the secrets of servers from a text. */
export const redactor = (servers: ThreadServers): Redactor.Redactor => Redactor.make(secretsOf(servers))

/** Fails with `invalid-config` for a required server of the thread that the session has not given. */
export const check = (servers: ThreadServers = {}): Effect.Effect<void, AgentError> => {
  const missing = Object.entries(servers).find(([, { required, type }]) => type === "lacking" && required === true)
  if (missing === undefined) return Effect.void
  const message = `\`mcpServers\` lacks \`${missing[0]}\`, which this thread requires. Give it with each session that continues the thread.`
  return Effect.fail(invalidConfig(message))
}

/** The error of required servers that did not start. */
export const notStarted = (agent: string, servers: ThreadServers, why: string): AgentError =>
  invalidConfig(clip(`${agent} could not start a required MCP server of \`mcpServers\`: ${redactor(servers)(why)}`))

/** How much of a reason an event has, in characters. */
const maxReasonLength = 2_000

/** The event of a server that did not start. */
export const failed = (servers: ThreadServers, name: string, why: string): McpEventContent => ({
  _tag: "ServerFailed",
  name: name.slice(0, 200),
  message: redactor(servers)(why).slice(0, maxReasonLength).toWellFormed(),
})

/** The events of servers of the thread that the session has not given. */
export const absent = (servers: ThreadServers = {}): ReadonlyArray<McpEventContent> =>
  Object.entries(servers).flatMap(([name, { type }]) =>
    type === "lacking" ? [failed(servers, name, "The session has not given this server of the thread: pass it.")] : [],
  )

/** A store whose records keep the names of servers alone. */
export interface ServerStore<ThreadRecord> extends ThreadStore<ThreadRecord> {
  /** Forgets the servers of a thread. */
  readonly forget: (threadId: string) => void
}

/** How many threads have servers in memory; those of the oldest are forgotten first. */
const maxThreads = 1_000

/**
 * Keeps servers in memory.
 *
 * @param store stores the rest of a record
 * @param serversOf the servers of a record
 * @param having the record with these servers
 */
export const keep = <ThreadRecord>(
  store: ThreadStore<ThreadRecord>,
  serversOf: (record: ThreadRecord) => ThreadServers,
  having: (record: ThreadRecord, servers: Servers) => ThreadRecord,
): ServerStore<ThreadRecord> => {
  const held = new Map<string, Servers>()
  const bare = (record: ThreadRecord): ThreadRecord => {
    const servers = serversOf(record)
    return servers === undefined ? record : having(record, lacking(servers))
  }
  return {
    check: (record) => store.check(bare(record)),
    put: (threadId, record) =>
      Effect.suspend(() => {
        const servers = serversOf(record)
        if (given(servers).length > 0) putNewest(held, threadId, servers ?? {}, maxThreads)
        else held.delete(threadId)
        return store.put(threadId, bare(record))
      }),
    get: (threadId) =>
      Effect.map(store.get(threadId), (record) => {
        const servers = held.get(threadId)
        if (record === undefined || servers === undefined) return record
        // Another server may have given the thread others since.
        const names = Object.keys(serversOf(record) ?? {})
        return names.join() === Object.keys(servers).join() ? having(record, servers) : record
      }),
    remove: (threadId) =>
      Effect.suspend(() => {
        held.delete(threadId)
        return store.remove(threadId)
      }),
    forget: (threadId) => void held.delete(threadId),
  }
}
