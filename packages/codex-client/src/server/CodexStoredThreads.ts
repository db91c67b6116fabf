/**
 * The conversations that Codex has stored, also those of its own command line.
 *
 * @see Codex 0.171 app-server: measured. All work on threads that are not loaded
 */
import type { AgentError } from "@zain/agent-server/AgentError"
import { countOf, type JsonObject, optional, recordsOf, textOf } from "@zain/agent-server/JsonMember"
import type { StoredThreads } from "@zain/agent-server/ServedThreads"
import * as ThreadStore from "@zain/agent-server/ThreadStore"
import type { McpEventContent } from "@zain/core/McpEvents"
import type { McpThread, McpThreadTurn } from "@zain/core/McpThreads"
import * as Effect from "effect/Effect"
import * as CodexItems from "./CodexItems.ts"
import type { CodexServer } from "./CodexServer.ts"
import * as CodexThreads from "./CodexThreads.ts"

/** The threads of people and programs. Codex lists sub-agents and reviews under other kinds. */
const sourceKinds = ["cli", "vscode", "exec", "appServer", "unknown"]

const methods = {
  rename: "thread/name/set",
  archive: "thread/archive",
  unarchive: "thread/unarchive",
  delete: "thread/delete",
} as const

/** @param server the running server, or a new one */
export const make = (
  server: Effect.Effect<CodexServer, AgentError>,
  threads: CodexThreads.CodexThreads,
): StoredThreads => {
  const using = <A>(threadId: string, use: (server: CodexServer) => Effect.Effect<A, AgentError>) =>
    ThreadStore.isThreadId(threadId) ? Effect.flatMap(server, use) : Effect.fail(CodexThreads.unknown(threadId))
  return {
    list: ({ archived, ...query }) =>
      Effect.flatMap(server, ({ request }) =>
        // Without `modelProviders`, only those of the configured provider are listed.
        request("thread/list", { ...query, archived, sortKey: "updated_at", modelProviders: [], sourceKinds }),
      ).pipe(
        Effect.map((answer) => ({
          threads: recordsOf(answer, "data").flatMap((thread) => threadOf(thread, archived)),
          ...nextOf(answer),
        })),
      ),
    placeOf: (threadId) => using(threadId, (server) => threads.placeOf(server, threadId)),
    read: (threadId, query) =>
      using(threadId, ({ request }) =>
        request("thread/turns/list", { threadId, ...query, itemsView: "full", sortDirection: "asc" }),
      ).pipe(
        Effect.mapBoth({
          onSuccess: (answer) => ({ turns: recordsOf(answer, "data").flatMap(turnOf), ...nextOf(answer) }),
          onFailure: CodexThreads.named(threadId),
        }),
      ),
    fork: (threadId, turn) => using(threadId, (server) => threads.fork(server, threadId, turn)),
    change: (threadId, { action, ...change }) =>
      using(threadId, (server) => {
        const params = "title" in change ? { threadId, name: change.title } : { threadId }
        return threads.alone(server, threadId, server.request(methods[action], params), action === "delete")
      }),
  }
}

const nextOf = (answer: JsonObject) => {
  const next = textOf(answer, "nextCursor")
  return next === undefined ? {} : { next }
}

const threadOf = (thread: JsonObject, isArchived: boolean): ReadonlyArray<McpThread> => {
  const [threadId, cwd] = [textOf(thread, "id"), textOf(thread, "cwd")]
  if (threadId === undefined || cwd === undefined || thread["ephemeral"] === true) return []
  return [
    {
      ...{ threadId, cwd, isArchived },
      ...optional("title", textOf(thread, "name") || undefined),
      ...optional("firstPrompt", textOf(thread, "preview") || undefined),
      ...optional("createdAt", millisOf(thread, "createdAt")),
      ...optional("updatedAt", millisOf(thread, "updatedAt")),
      ...optional("model", textOf(thread, "model")),
    },
  ]
}

/** Codex gives seconds. */
const millisOf = (record: JsonObject, key: string): number | undefined =>
  Math.max(countOf(record, key), 0) * 1_000 || undefined

const turnOf = (turn: JsonObject): ReadonlyArray<McpThreadTurn> => {
  const id = textOf(turn, "id")
  if (id === undefined) return []
  const items = recordsOf(turn, "items")
  const prompts = items.filter((item) => item["type"] === "userMessage").map(promptOf)
  const at = optional("at", millisOf(turn, "startedAt"))
  return [{ turn: id, prompt: prompts.join("\n\n"), ...at, events: items.flatMap(eventsOf) }]
}

const promptOf = (item: JsonObject): string =>
  recordsOf(item, "content")
    .flatMap((part) => textOf(part, "text") ?? [])
    .join("\n")

const eventsOf = (item: JsonObject): ReadonlyArray<McpEventContent> =>
  [CodexItems.started(item), ...CodexItems.outcome(item), CodexItems.finished(item)].filter(
    (event) => event !== undefined,
  )
