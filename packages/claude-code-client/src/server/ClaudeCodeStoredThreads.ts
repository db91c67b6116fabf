/**
 * The conversations that Claude Code has stored, also those of its own command line.
 */
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { type AgentError, invalidConfig, refused } from "@zain/agent-server/AgentError"
import type { StoredThreads } from "@zain/agent-server/ServedThreads"
import { clip, maxEchoLength } from "@zain/command/Clip"
import type { McpThread } from "@zain/core/McpThreads"
import * as Effect from "effect/Effect"
import type { ProcessHolder } from "./ThreadProcesses.ts"
import type { ThreadRecords } from "./ThreadRecords.ts"
import * as Transcripts from "./Transcripts.ts"
import * as TranscriptTurns from "./TranscriptTurns.ts"

/**
 * @param home Claude Code's directory, which has `projects`
 * @param unknown makes the error of an unknown thread
 */
export const make = (
  home: string,
  records: ThreadRecords,
  { alone }: Pick<ProcessHolder, "alone">,
  unknown: (threadId: string) => AgentError,
): StoredThreads => {
  const projects = join(home, "projects")
  const known = <A>(threadId: string, found: Effect.Effect<A | undefined>) =>
    Effect.flatMap(found, (one) => (one === undefined ? Effect.fail(unknown(threadId)) : Effect.succeed(one)))
  const transcript = (threadId: string) =>
    known(
      threadId,
      Effect.promise(() => Transcripts.find(projects, threadId)),
    )
  const recordOf = (threadId: string) => known(threadId, records.get(threadId))
  return {
    list: ({ archived, cursor, cwd, limit }) =>
      Effect.gen(function* () {
        const isOf = cwd === undefined ? () => true : Transcripts.isOf(cwd)
        const all = (yield* Effect.promise(() => Transcripts.list(projects, isOf))).toSorted(
          (one, other) => other.changedAt - one.changedAt || (one.threadId < other.threadId ? -1 : 1),
        )
        const from = cursor === undefined ? 0 : afterOf(all, cursor)
        if (from === undefined) return yield* wrongCursor(cursor)
        const threads: Array<McpThread> = []
        let at = from
        for (; at < all.length && threads.length < limit; at++) {
          const one = all[at] as Transcripts.Transcript
          const thread = yield* Effect.promise(() => Transcripts.describe(one))
          if (thread?.isArchived === archived && (cwd ?? thread.cwd) === thread.cwd) threads.push(thread)
        }
        const last = all[at - 1]
        return { threads, ...(at < all.length && last !== undefined ? { next: cursorOf(last) } : {}) }
      }),
    placeOf: (threadId) => Effect.map(recordOf(threadId), ({ cwd }) => cwd),
    read: (threadId, query) =>
      Effect.flatMap(transcript(threadId), (found) =>
        Effect.flatMap(
          trying(threadId, () => TranscriptTurns.read(found, query)),
          (turns) => (turns === undefined ? Effect.fail(wrongCursor(query.cursor)) : Effect.succeed(turns)),
        ),
      ),
    fork: Effect.fnUntraced(function* (threadId, turn) {
      const found = yield* transcript(threadId)
      const record = yield* recordOf(threadId)
      const fork = randomUUID()
      const copying = Effect.flatMap(
        trying(threadId, () => TranscriptTurns.copy(found, fork, turn)),
        (isCopied) => (isCopied ? Effect.void : Effect.fail(noTurn(threadId, turn))),
      )
      // A copy without its record would be less restricted than its origin.
      yield* records.put(fork, { ...record, isKnown: true })
      yield* Effect.onError(copying, () => records.remove(fork))
      return fork
    }),
    change: (threadId, change) =>
      alone(
        threadId,
        Effect.flatMap(transcript(threadId), (found) =>
          trying(threadId, () => {
            if (change.action === "rename") return Transcripts.rename(found, change.title)
            if (change.action === "delete") return Transcripts.remove(found)
            return Transcripts.setArchived(found, change.action === "archive")
          }),
        ).pipe(Effect.andThen(change.action === "delete" ? records.remove(threadId) : Effect.void)),
      ),
  }
}

/** A place in the list: the thread before it. */
const cursorOf = ({ changedAt, threadId }: Transcripts.Transcript) => `${changedAt}-${threadId}`

/** The first of a sorted list after a cursor; `undefined` if it is none. */
const afterOf = (all: ReadonlyArray<Transcripts.Transcript>, cursor: string): number | undefined => {
  const [, time = "", id = ""] = /^(\d{1,15})-([0-9a-f-]{36})$/.exec(cursor) ?? []
  if (id === "") return undefined
  const at = all.findIndex(
    ({ changedAt, threadId }) => changedAt < Number(time) || (changedAt === Number(time) && threadId > id),
  )
  return at < 0 ? all.length : at
}

const wrongCursor = (cursor = "") =>
  invalidConfig(`\`cursor\` must be \`next\` of the page before; ${clip(cursor, maxEchoLength)} is not.`)

const noTurn = (threadId: string, turn = "") =>
  refused(`Thread ${threadId} has no turn ${clip(turn, maxEchoLength)}. \`read\` returns the ids of its turns.`)

const trying = <A>(threadId: string, work: () => Promise<A>): Effect.Effect<A, AgentError> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      refused(
        `The transcript of thread ${threadId} is not accessible: ${cause instanceof Error ? cause.message : String(cause)}.`,
      ),
  })
