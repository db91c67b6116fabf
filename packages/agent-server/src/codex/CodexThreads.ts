/**
 * Which threads there are: made here, or by a Codex that is gone.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { AgentError } from "../AgentError.ts"
import { type JsonObject, recordOf, recordsOf, textOf } from "../JsonMember.ts"
import { isThreadId, type ThreadStore } from "../ThreadStore.ts"
import * as Workspace from "../Workspace.ts"
import type { CodexServer } from "./CodexServer.ts"
import * as CodexStartOptions from "./CodexStartOptions.ts"

/**
 * - `start`: makes a thread
 * - `load`: makes sure that a server knows a thread. Fails with `unknown-thread`
 * - `hasPrompt`: whether a thread that is loaded holds this prompt in its last turn. Codex keeps a prompt before it asks
 *   its model
 * - `inOrder`: one after the other, first come, first served, for each thread
 */
export interface CodexThreads {
  readonly start: (
    server: CodexServer,
    options: CodexStartOptions.CodexStartOptions,
  ) => Effect.Effect<string, AgentError>
  readonly load: (server: CodexServer, threadId: string) => Effect.Effect<void, AgentError>
  readonly hasPrompt: (server: CodexServer, threadId: string, promptId: string) => Effect.Effect<boolean, AgentError>
  readonly inOrder: (threadId: string) => <A, E>(turn: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

interface Line {
  readonly permit: Semaphore.Semaphore
  users: number
}

/**
 * Threads that nobody has asked for yet.
 *
 * @param store what threads were started with; Codex forgets some of it, the sandbox among it
 */
export const make = (store: ThreadStore<CodexStartOptions.CodexStartOptions>): CodexThreads => {
  const lines = new Map<string, Line>()

  return {
    start: (server, options) =>
      Effect.gen(function* () {
        const cwd = yield* Workspace.start(options.cwd, CodexStartOptions.leadsOut(options))
        const given = cwd === undefined ? options : { ...options, cwd }
        const answer = yield* server.request("thread/start", CodexStartOptions.threadParams(given))
        const id = textOf(recordOf(answer, "thread"), "id")
        if (id === undefined) return yield* refuse("Codex has started a thread and not said which.")
        yield* judge(server, id, answer, tooFree)
        server.loaded.add(id)
        yield* store.put(id, given)
        return id
      }),
    load: (server, threadId) =>
      Effect.gen(function* () {
        // Codex takes other spellings of an id, and answers by its own.
        if (!isThreadId(threadId)) return yield* Effect.fail(unknown(threadId))
        const isBounded = (yield* Workspace.Roots).length > 0
        if (!isBounded && server.loaded.has(threadId)) return
        const record = (yield* store.get(threadId)) ?? {}
        const cwd = yield* Workspace.resume(threadId, record.cwd, CodexStartOptions.leadsOut(record))
        if (server.loaded.has(threadId)) return
        const given = CodexStartOptions.threadParams(cwd === undefined ? record : { ...record, cwd })
        const resumed = server.request("thread/resume", { ...given, threadId, excludeTurns: true })
        const answer = yield* Effect.mapError(resumed, (error) => {
          if (isUnknown(error)) return unknown(threadId)
          return /already has an active writer/i.test(error.message) ? held(threadId) : error
        })
        yield* judge(server, threadId, answer, (roots) => Workspace.outside(roots, threadId))
        // The next turn is judged by it.
        if (isBounded && cwd === undefined) yield* store.put(threadId, { ...record, ...workPlace(answer) })
        server.loaded.add(threadId)
      }),
    hasPrompt: (server, threadId, promptId) =>
      Effect.map(server.request("thread/turns/list", { threadId, limit: 1, itemsView: "full" }), (turns) =>
        recordsOf(turns, "data").some((turn) =>
          recordsOf(turn, "items").some((item) => textOf(item, "clientId") === promptId),
        ),
      ),
    inOrder: (threadId) => (turn) =>
      Effect.suspend(() => {
        const line = lines.get(threadId) ?? { permit: Semaphore.makeUnsafe(1), users: 0 }
        lines.set(threadId, line)
        line.users++
        return Effect.ensuring(
          line.permit.withPermits(1)(turn),
          Effect.sync(() => {
            if (--line.users === 0) lines.delete(threadId)
          }),
        )
      }),
  }
}

/** Fails for a thread that Codex would let work outside of the roots, and lets go of it. */
const judge = (
  server: CodexServer,
  threadId: string,
  answer: JsonObject,
  refusal: (roots: ReadonlyArray<string>) => AgentError,
): Effect.Effect<void, AgentError> =>
  Effect.gen(function* () {
    const roots = yield* Workspace.Roots
    if (roots.length === 0) return
    const places = CodexStartOptions.placesOf(answer)
    if (places !== undefined && (yield* Effect.promise(() => Workspace.hold(roots, places)))) return
    yield* Effect.exit(server.request("thread/unsubscribe", { threadId }))
    return yield* Effect.fail(refusal(roots))
  })

const tooFree = (roots: ReadonlyArray<string>): AgentError =>
  new AgentError({
    reason: "agent-refused",
    message: `Codex's own configuration leads out of ${Workspace.named(roots)}. Ask for \`sandbox: "read-only"\`, or change its config.toml.`,
  })

const workPlace = (answer: JsonObject): { readonly cwd?: string } => {
  const cwd = textOf(answer, "cwd")
  return cwd === undefined ? {} : { cwd }
}

/** Whether Codex has said that it knows no such thread; it has no code for that. */
export const isUnknown = ({ message, reason }: AgentError): boolean =>
  reason === "agent-refused" && /no rollout found|thread not found|invalid (thread|session) id/i.test(message)

const unknown = (threadId: string): AgentError =>
  new AgentError({
    reason: "unknown-thread",
    message: `There is no thread ${threadId.slice(0, 100)}. It may never have had a turn. Start a new one.`,
  })

const held = (threadId: string): AgentError =>
  new AgentError({
    reason: "agent-refused",
    message: `Another Codex is at work with thread ${threadId}. End it, or start a new thread.`,
  })

const refuse = (message: string) => Effect.fail(new AgentError({ reason: "agent-refused", message }))
