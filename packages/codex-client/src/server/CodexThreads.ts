/**
 * The threads of Codex: of this process and of earlier ones.
 */

import { AgentError, refused, unknownThread } from "@zain/agent-server/AgentError"
import * as ClientTools from "@zain/agent-server/ClientTools"
import * as HandedServers from "@zain/agent-server/HandedServers"
import { recordOf, recordsOf, textOf } from "@zain/agent-server/JsonMember"
import * as OptionChanges from "@zain/agent-server/OptionChanges"
import * as ThreadStore from "@zain/agent-server/ThreadStore"
import * as Workspace from "@zain/agent-server/Workspace"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { CodexStartOptions } from "../CodexOptions.ts"
import { nameOf, names, started } from "../native/CodexStartOptions.ts"
import * as CodexKept from "./CodexKept.ts"
import * as CodexOwnTools from "./CodexOwnTools.ts"
import type { CodexServer } from "./CodexServer.ts"
import * as CodexSettings from "./CodexSettings.ts"
import { leadsOut } from "./CodexThreadParams.ts"
import * as CodexThreadState from "./CodexThreadState.ts"
import { unload, unloadTimeout } from "./CodexUnload.ts"

/** The threads of Codex. */
export interface CodexThreads {
  /** Fails if a thread with these options could not be remembered. */
  readonly check: (options: CodexStartOptions) => Effect.Effect<void, AgentError>
  /** Makes a thread with these tools of the client's own. */
  readonly start: (
    server: CodexServer,
    options: CodexStartOptions,
    tools?: ClientTools.Tools,
  ) => Effect.Effect<string, AgentError>
  /**
   * Loads a thread into a server, and returns the settings of its turns. Options that differ from the thread's apply from
   * now on. Fails with `unknown-thread` and `option-refused`, also for other tools than those of the thread's start.
   */
  readonly load: (
    server: CodexServer,
    threadId: string,
    options?: CodexStartOptions,
    tools?: ClientTools.Tools,
  ) => Effect.Effect<CodexSettings.CodexSettings, AgentError>
  /** Stores options of a thread that its record does not have. */
  readonly remember: (server: CodexServer, threadId: string, own: CodexStartOptions) => Effect.Effect<void, AgentError>
  /** Whether the last turn of a loaded thread has this prompt. Codex stores a prompt before it sends it to its model. */
  readonly hasPrompt: (server: CodexServer, threadId: string, promptId: string) => Effect.Effect<boolean, AgentError>
  /**
   * Copies a thread up to a turn, or whole, and returns the id of the copy, which has the options of its origin and is not loaded.
   */
  readonly fork: (server: CodexServer, threadId: string, turn: string | undefined) => Effect.Effect<string, AgentError>
  /** The directory that a thread works in. */
  readonly placeOf: (server: CodexServer, threadId: string) => Effect.Effect<string, AgentError>
  /**
   * Unloads a thread after its running and waiting turns, and runs a request about it while this process holds it.
   *
   * @param isForgotten whether the thread's record is removed then
   */
  readonly alone: (
    server: CodexServer,
    threadId: string,
    request: Effect.Effect<unknown, AgentError>,
    isForgotten: boolean,
  ) => Effect.Effect<void, AgentError>
  /** Forgets the MCP servers of a thread. */
  readonly forget: (threadId: string) => void
  /** Runs turns of a thread one after the other, in the order of their calls. */
  readonly inOrder: (threadId: string) => <A, E>(turn: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

interface Line {
  readonly permit: Semaphore.Semaphore
  users: number
}

/** The options of a thread, and the tools of its client's own that it began with. */
const CodexRecord = Schema.Struct({ ...started, tools: Schema.optionalKey(ClientTools.Kept) }).pipe(
  Schema.encodeKeys(names),
)
type CodexRecord = typeof CodexRecord.Type

/** Records of threads, because Codex does not store all options, and does not name its tools. */
export type CodexRecords = ThreadStore.ThreadStore<CodexRecord>
export const CodexRecords: Context.Service<CodexRecords, CodexRecords> = Context.Service(
  "@zain/codex-client/CodexRecords",
)

/**
 * The options that need no record: those that Codex keeps with a thread, and servers, which each session gives. It keeps a
 * sandbox only if that is `read-only`.
 */
const kept: ReadonlyArray<keyof CodexStartOptions> = ["cwd", "developerInstructions", "effort", "mcpServers", "model"]

const remembered = (options: CodexRecord) => ThreadStore.unkept(options, kept).map(nameOf)

/** @param env the agent's environment, which has `XDG_STATE_HOME` or `HOME` */
export const layer = (env: Readonly<Record<string, string>>): Layer.Layer<CodexRecords> =>
  Layer.sync(CodexRecords, () => ThreadStore.make(env, "codex", CodexRecord, remembered))

export const make: Effect.Effect<CodexThreads, never, CodexRecords> = Effect.map(CodexRecords, (records) => {
  const store = HandedServers.keep(
    records,
    ({ mcpServers }) => mcpServers,
    (record, mcpServers) => ({ ...record, mcpServers }),
  )
  /** Loads a thread that is held. */
  const resume = Effect.fnUntraced(function* (
    server: CodexServer,
    threadId: string,
    given: CodexRecord & { readonly cwd: string },
    isForgotten: boolean,
    isChanged: boolean,
  ) {
    yield* HandedServers.check(given.mcpServers)
    const { tools = [], ...options } = given
    const made = { ...(yield* CodexSettings.make(server, options)), tools }
    const settings = isForgotten ? CodexSettings.warned(made, ThreadStore.forgotten) : made
    const resumed = server.request("thread/resume", { ...settings.thread, threadId, excludeTurns: true })
    const answer = yield* Effect.mapError(resumed, (error) => named(threadId)(unstarted(error, given)))
    const places = CodexSettings.placesOf(settings, answer)
    const refusal = isChanged ? tooFree : (roots: ReadonlyArray<string>) => Workspace.outside(roots, threadId)
    yield* judge(places, refusal)
    if (isChanged) yield* store.put(threadId, given)
    const settled = CodexSettings.settled(settings, answer)
    server.threads.set(threadId, CodexThreadState.loaded(settled))
    return settled
  })
  /** Lets a thread go that could not be loaded, may not run, or whose options could not be stored. It is held until Codex has answered. */
  const drop = (server: CodexServer, threadId: string) =>
    server.request("thread/unsubscribe", { threadId }).pipe(
      Effect.catchIf(
        ({ reason }) => reason === "agent-refused",
        () => Effect.void,
      ),
      Effect.timeout(unloadTimeout),
      Effect.andThen(Effect.sync(() => server.holds.leave(threadId))),
      Effect.ignore,
    )
  const lines = new Map<string, Line>()
  const inOrder: CodexThreads["inOrder"] = (threadId) => (turn) =>
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
    })
  /** Releases a thread for another server of the client, after its running and waiting turns. */
  const letGo = (server: CodexServer, threadId: string) =>
    inOrder(threadId)(Effect.map(unload(server, threadId), () => server.holds.leave(threadId)))

  return {
    check: (options) => Effect.andThen(Workspace.further(options.directories ?? []), store.check(options)),
    forget: store.forget,
    start: Effect.fnUntraced(function* (server, options, own = []) {
      const found = yield* Workspace.start(options.cwd, leadsOut(options))
      const placed = { ...options, cwd: found ?? process.cwd() }
      const tools = ClientTools.kept(own)
      const given = tools.length === 0 ? placed : { ...placed, tools }
      yield* store.check(given)
      const settings = { ...(yield* CodexSettings.make(server, placed)), tools }
      const started = server.request("thread/start", { ...settings.thread, ...CodexOwnTools.ofStart(own) })
      const answer = yield* Effect.mapError(started, (error) => unstarted(error, given))
      const id = textOf(recordOf(answer, "thread"), "id")
      if (id === undefined) return yield* refused("Codex started a thread without returning its id.")
      const kept = Effect.gen(function* () {
        yield* server.holds.enter(id, letGo(server, id))
        yield* judge(CodexSettings.placesOf(settings, answer), tooFree)
        yield* store.put(id, given)
      })
      yield* Effect.onError(kept, () => drop(server, id))
      server.threads.set(id, CodexThreadState.loaded(CodexSettings.settled(settings, answer)))
      return id
    }),
    load: Effect.fnUntraced(function* (server, threadId, options, tools = []) {
      // Codex accepts other spellings of an id, but answers with its own.
      if (!ThreadStore.isThreadId(threadId)) return yield* unknown(threadId)
      const isBounded = (yield* Workspace.Roots).length > 0
      const state = server.threads.get(threadId)
      const loaded = CodexThreadState.settingsOf(state)
      if (loaded !== undefined) yield* server.holds.enter(threadId, letGo(server, threadId))
      if (loaded !== undefined) yield* CodexOwnTools.require(loaded.tools, tools)
      if (!isBounded && loaded !== undefined && options === undefined) return loaded
      const stored = yield* store.get(threadId)
      const record: CodexRecord = stored ?? (yield* keptOf(server, threadId))
      if (loaded === undefined) yield* CodexOwnTools.require(record.tools, tools)
      const place = record.cwd ?? process.cwd()
      const cwd = (yield* Workspace.resume(threadId, place, leadsOut(record))) ?? place
      const changed = yield* OptionChanges.make({ ...record, cwd }, options ?? {}, leadsOut)
      if (changed.developerInstructions !== undefined) return yield* fixed
      const isChanged = Object.keys(changed).length > 0
      if (loaded !== undefined && !isChanged) return loaded
      // A loaded thread ignores new parameters.
      if (isChanged && server.turnsOf(threadId).length > 0) return yield* refused(goesOn)
      if (state !== undefined && isChanged && !(yield* unload(server, threadId))) return yield* refused(stays)
      // The limits of a thread without a record hold beside other keys.
      const config = stored === undefined && changed.config ? { ...record.config, ...changed.config } : undefined
      const given = { ...record, cwd, ...changed, ...(config && { config }) }
      if (isChanged) yield* store.check(given)
      yield* server.holds.enter(threadId, letGo(server, threadId))
      return yield* Effect.onError(resume(server, threadId, given, stored === undefined, isChanged), () =>
        drop(server, threadId),
      )
    }),
    remember: Effect.fnUntraced(function* (server, threadId, own) {
      const stored = yield* store.get(threadId)
      const record = stored ?? (yield* keptOf(server, threadId))
      const isComplete = stored !== undefined && Object.keys(own).every((name) => name in stored)
      // Without a record, the thread's file would later tell the sandbox of the turn.
      if (!isComplete) yield* store.put(threadId, { ...own, ...record })
    }),
    fork: Effect.fnUntraced(function* (server, threadId, turn) {
      const record = (yield* store.get(threadId)) ?? (yield* keptOf(server, threadId))
      yield* store.check(record)
      const { thread } = yield* CodexSettings.make(server, { ...record, cwd: record.cwd ?? process.cwd() })
      const cut = turn === undefined ? {} : { lastTurnId: turn }
      const forking = server.request("thread/fork", { ...thread, threadId, excludeTurns: true, ...cut })
      const answer = yield* Effect.mapError(forking, named(threadId))
      const id = textOf(recordOf(answer, "thread"), "id")
      if (id === undefined) return yield* refused("Codex copied a thread without returning its id.")
      const kept = Effect.andThen(server.holds.enter(id, Effect.void), store.put(id, record))
      // A loaded thread would ignore the parameters of its next start.
      const released = Effect.flatMap(unload(server, id), (isUnloaded) => (isUnloaded ? Effect.void : drop(server, id)))
      yield* Effect.ensuring(kept, released)
      return id
    }),
    placeOf: Effect.fnUntraced(function* (server, threadId) {
      return (yield* store.get(threadId))?.cwd ?? (yield* keptOf(server, threadId)).cwd ?? ""
    }),
    alone: (server, threadId, request, isForgotten) =>
      inOrder(threadId)(
        Effect.gen(function* () {
          if (server.turnsOf(threadId).length > 0) return yield* refused(goesOnAlone)
          if (server.threads.has(threadId) && !(yield* unload(server, threadId))) return yield* refused(stays)
          yield* server.holds.enter(threadId, letGo(server, threadId))
          yield* Effect.mapError(request, named(threadId)).pipe(
            Effect.ensuring(Effect.sync(() => server.holds.leave(threadId))),
          )
          if (isForgotten) yield* store.remove(threadId)
        }),
      ),
    hasPrompt: (server, threadId, promptId) =>
      Effect.map(server.request("thread/turns/list", { threadId, limit: 1, itemsView: "full" }), (turns) =>
        recordsOf(turns, "data").some((turn) =>
          recordsOf(turn, "items").some((item) => textOf(item, "clientId") === promptId),
        ),
      ),
    inOrder,
  }
})

/** Fails for a thread that Codex would run outside of the roots. */
const judge = Effect.fnUntraced(function* (
  places: ReadonlyArray<string> | undefined,
  refusal: (roots: ReadonlyArray<string>) => AgentError,
): Effect.fn.Return<void, AgentError> {
  const roots = yield* Workspace.Roots
  if (roots.length === 0) return
  if (places !== undefined && (yield* Effect.promise(() => Workspace.hold(roots, places)))) return
  return yield* refusal(roots)
})

const tooFree = (roots: ReadonlyArray<string>): AgentError =>
  refused(
    `Codex's own configuration leads out of ${Workspace.named(roots)}. Ask for \`sandbox: "read-only"\`, or change its config.toml.`,
  )

const goesOn =
  "Options cannot change while background work of the thread goes on. Wait for its events `BackgroundFinished`, or close the session."

const goesOnAlone =
  "A thread cannot change while its background work goes on. Wait for its events `BackgroundFinished`, or close the session."

const stays = "Codex did not unload the thread, which is required to change it."

const fixed = new AgentError({
  reason: "option-refused",
  message: "`developer-instructions` cannot change in a thread of Codex. Omit them, or start a new thread.",
})

/** The directory and the restrictions of a thread without a record, with which it is resumed. */
const keptOf = Effect.fnUntraced(function* (server: CodexServer, threadId: string) {
  const answer = yield* Effect.mapError(server.request("thread/read", { threadId }), named(threadId))
  const thread = recordOf(answer, "thread")
  const cwd = textOf(thread, "cwd") ?? (yield* refused("Codex did not return the directory of the thread."))
  return { cwd, ...(yield* Effect.promise(() => CodexKept.read(textOf(thread, "path")))) } as CodexStartOptions
})

/** Whether Codex reported an unknown thread. It has no error code for that. */
export const isUnknown = ({ message, reason }: AgentError): boolean =>
  reason === "agent-refused" &&
  /no (archived )?rollout found|(thread|session) not (found|loaded)|invalid (thread|session) id|session \S+ is archived/i.test(
    message,
  )

/** The error about a thread by its words. */
export const named =
  (threadId: string) =>
  (error: AgentError): AgentError => {
    if (isUnknown(error)) return unknown(threadId)
    return /already has an active writer/i.test(error.message) ? held(threadId) : error
  }

/** Of a required MCP server that did not start. */
const unstarted = (error: AgentError, { mcpServers }: CodexStartOptions): AgentError => {
  const why = /required MCP servers failed to initialize: (.*)/s.exec(error.message)?.[1]
  return why === undefined ? error : HandedServers.notStarted("Codex", mcpServers, why)
}

export const unknown = (threadId: string): AgentError =>
  unknownThread(`There is no thread ${threadId.slice(0, 100)}. It may never have had a turn. Start a new one.`)

/** The thread is held by a Codex that is not behind a server of Zain. */
const held = (threadId: string): AgentError =>
  new AgentError({
    reason: "thread-held",
    message: `Another Codex uses thread ${threadId}. End it, or start a new thread.`,
  })
