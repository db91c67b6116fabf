/**
 * Claude Code over the protocol of its own SDK: `claude -p` with JSON lines in both directions.
 */
import { randomUUID } from "node:crypto"
import * as AgentChannel from "@zain/agent-server/AgentChannel"
import type { AgentCommand } from "@zain/agent-server/AgentCommand"
import { AgentError, invalidConfig, notSupported, unknownThread } from "@zain/agent-server/AgentError"
import type { Tools } from "@zain/agent-server/ClientTools"
import * as HandedServers from "@zain/agent-server/HandedServers"
import type { JsonObject } from "@zain/agent-server/JsonMember"
import * as OptionChanges from "@zain/agent-server/OptionChanges"
import * as OutputRoot from "@zain/agent-server/OutputRoot"
import type { Agent, TurnRequest } from "@zain/agent-server/ServedAgent"
import * as ThreadLock from "@zain/agent-server/ThreadLock"
import * as ThreadStore from "@zain/agent-server/ThreadStore"
import * as Workspace from "@zain/agent-server/Workspace"
import { clip, maxEchoLength } from "@zain/command/Clip"
import type { McpEventContent } from "@zain/core/McpEvents"
import { HostGuard } from "@zain/process/HostGuard"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import {
  ClaudeCodeStartOptions,
  type ClaudeCodeTurnOptions,
  nameOf,
  turnArguments,
} from "../native/ClaudeCodeStartOptions.ts"
import * as ConfigDirectory from "../native/ConfigDirectory.ts"
import { instructing, leadsOut, newInstructions, toArguments } from "./ClaudeCodeArguments.ts"
import * as ClaudeCodeProcess from "./ClaudeCodeProcess.ts"
import * as ClaudeCodeSettingsFiles from "./ClaudeCodeSettingsFiles.ts"
import * as ClaudeCodeSetup from "./ClaudeCodeSetup.ts"
import * as ClaudeCodeStoredThreads from "./ClaudeCodeStoredThreads.ts"
import * as OwnToolServer from "./OwnToolServer.ts"
import * as ThreadProcesses from "./ThreadProcesses.ts"
import * as ThreadRecords from "./ThreadRecords.ts"

/** Limits of the agent's processes. */
export interface ClaudeCodeLimits extends ThreadProcesses.ProcessLimits {
  /** Time limit of Claude Code to end an interrupted turn; after it, its process is killed. */
  readonly interruptTimeout: Duration.Duration
}

const usual: ClaudeCodeLimits = {
  idleTimeout: Duration.seconds(60),
  maxIdle: 16,
  interruptTimeout: Duration.seconds(5),
}

/**
 * Makes the agent. Each thread has a process, which starts when its session opens or with a turn, and stays for later ones.
 *
 * @param program the program and its environment
 */
export const make = Effect.fnUntraced(function* (
  program: AgentCommand,
  limits: ClaudeCodeLimits = usual,
): Effect.fn.Return<Agent<ClaudeCodeStartOptions>, never, Scope.Scope | HostGuard | ThreadRecords.ThreadRecords> {
  const guard = yield* HostGuard
  const records = yield* ThreadRecords.ThreadRecords
  const command = { ...program, env: { ...usualEnvironment, ...program.env } }
  /** The record of a thread. With roots, its directory and options are checked, and stored as checked. */
  const permitted = Effect.fnUntraced(function* (threadId: string) {
    const record = begun.get(threadId) ?? (yield* records.get(threadId))
    if (record === undefined) return yield* unknown(threadId)
    const cwd = (yield* Workspace.resume(threadId, record.cwd, leadsOut(record.options))) ?? record.cwd
    const options = yield* asking(record.options)
    if (cwd === record.cwd && options === record.options) return record
    const judged = { ...record, cwd, options }
    yield* records.put(threadId, judged)
    return judged
  })
  /** The threads whose process has begun ahead of their start. */
  const begun = new Map<string, ThreadRecords.ThreadRecord>()
  let isTooOld = false
  const home = ConfigDirectory.of(command.env)
  const lock = ThreadLock.make(home)
  const filesOf = (options: ClaudeCodeStartOptions, cwd: string) =>
    Effect.promise(() => ClaudeCodeSettingsFiles.read(home, options.trustProject === true ? cwd : undefined))
  const handshake = Effect.fnUntraced(function* (
    { cwd, options }: ThreadRecords.ThreadRecord,
    jsonSchema: JsonObject | undefined,
    toolServer: string | undefined,
  ) {
    const files = yield* filesOf(options, cwd)
    yield* HandedServers.check(options.mcpServers)
    const directories = yield* Workspace.further(options.directories ?? [])
    const placed = options.directories === undefined ? options : { ...options, directories }
    const made = ClaudeCodeSetup.make(placed, home, "problem" in files ? [] : files.restrictions, toolServer)
    const setup = { ...made, jsonSchema }
    return yield* isTooOld ? ClaudeCodeSetup.inFiles(setup) : Effect.succeed(ClaudeCodeSetup.byProtocol(setup))
  })
  const process = (threadId: string, record: ThreadRecords.ThreadRecord, shape = ThreadProcesses.plain) =>
    Effect.gen(function* () {
      const context = yield* Effect.context()
      let now = record
      const store = (next: ThreadRecords.ThreadRecord) => {
        now = next
        return records.put(threadId, next)
      }
      const { cwd = record.cwd, maxTurns = record.options.maxTurns, output, tools } = shape
      const toolServer = tools === undefined ? undefined : OwnToolServer.make(threadId, tools)
      const options = maxTurns === undefined ? record.options : { ...record.options, maxTurns }
      return yield* ClaudeCodeProcess.open(command, {
        threadId,
        cwd,
        args: toArguments(threadId, options, record.isKnown, record.isInstructedAnew === true),
        options,
        shape,
        toolServer,
        handshake: yield* handshake({ ...record, cwd }, output?.schema, toolServer?.name),
        interruptTimeout: limits.interruptTimeout,
        kept: () => {
          if (!now.isKnown) Effect.runForkWith(context)(Effect.ignore(store({ ...now, isKnown: true })))
        },
        remember: (own) =>
          Effect.flatMap(records.get(threadId), (found = now) =>
            store({ ...found, isKnown: found.isKnown || now.isKnown, options: { ...own, ...found.options } }),
          ),
        // The process has sent nothing, so it is started again with the other handshake.
        failed: (reason) => {
          isTooOld ||= ClaudeCodeSetup.isTooOld(reason)
        },
      })
    }).pipe(Effect.provideService(HostGuard, guard))
  const open = (threadId: string, shape: ClaudeCodeProcess.ProcessShape) =>
    Effect.flatMap(permitted(threadId), (record) => process(threadId, record, shape))
  const shapeOf = Effect.fnUntraced(function* (
    threadId: string,
    { options: once = {}, outputSchema, tools }: TurnRequest<ClaudeCodeTurnOptions>,
    beside: ClaudeCodeStartOptions = {},
  ): Effect.fn.Return<ClaudeCodeProcess.ProcessShape, AgentError> {
    if (once.cwd === undefined && once.maxTurns === undefined && outputSchema === undefined)
      return ThreadProcesses.shape({ tools })
    const record = yield* permitted(threadId)
    const options = { ...record.options, ...beside }
    const own = beside.cwd === undefined ? record.cwd : yield* Workspace.start(beside.cwd, leadsOut(beside))
    const found = once.cwd === undefined ? own : yield* Workspace.inside(own, once.cwd)
    const cwd = found === own ? undefined : found
    if (cwd !== undefined && options.trustProject === true) return yield* untrusted
    const maxTurns = once.maxTurns === options.maxTurns ? undefined : once.maxTurns
    const output = outputSchema === undefined ? undefined : OutputRoot.make(outputSchema)
    return ThreadProcesses.shape({ output, cwd, maxTurns, tools }, outputSchema)
  })
  const processes = yield* ThreadProcesses.make(open, lock, limits)

  /** The change of a thread by the options beside it. */
  const renewal = Effect.fnUntraced(function* (threadId: string, options: ClaudeCodeStartOptions) {
    const record = yield* permitted(threadId)
    const changed = yield* OptionChanges.make({ ...record.options, cwd: record.cwd }, options, leadsOut)
    if (Object.keys(changed).length === 0) return undefined
    const isInstructedAnew = record.isKnown && instructing.some((name) => name in changed)
    const renewed = {
      ...record,
      cwd: changed.cwd ?? record.cwd,
      options: { ...record.options, ...changed },
      ...(isInstructedAnew ? { isInstructedAnew } : {}),
    }
    return { apply: records.put(threadId, renewed), undo: Effect.ignore(records.put(threadId, record)) }
  })

  return {
    name: "claude-code",
    title: "Claude Code",
    description: "Gives a task to Claude Code, Anthropic's coding agent, which works on it in a directory.",
    startOptions: ClaudeCodeStartOptions,
    turnOptions: turnArguments,
    redact: AgentChannel.redactor(command),
    check: Effect.fnUntraced(function* (given) {
      const options = yield* asking(given)
      // A directory or an option that is refused is reported by the start.
      const found = Effect.option(Workspace.start(options.cwd ?? ".", leadsOut(options)))
      const cwd = Option.getOrUndefined(yield* found)
      yield* Workspace.further(options.directories ?? [])
      yield* records.check({ cwd: "", isKnown: false, options })
      if (cwd === undefined || options.ignoreInvalidSettings === true) return
      const files = yield* filesOf(options, cwd)
      if ("problem" in files) return yield* invalidConfig(files.problem)
      if (needsTrial(files, options)) {
        const tried = process(randomUUID(), { cwd, isKnown: false, options })
        yield* Effect.scoped(Effect.flatMap(tried, ({ ready }) => ready))
      }
    }),
    attach: Effect.gen(function* () {
      const scope = yield* Effect.scope
      const holder = yield* processes.hold
      const hand = yield* HandedServers.holder(records.forget)
      let ahead = ""
      yield* Effect.addFinalizer(() => Effect.sync(() => begun.delete(ahead)))
      const recordOf = Effect.fnUntraced(function* (options: ClaudeCodeStartOptions) {
        const cwd = yield* Workspace.start(options.cwd ?? ".", leadsOut(options))
        return { cwd, isKnown: false, options: yield* asking(options) }
      })
      // The record is read in the thread's queue, because otherwise disk reads would decide the order of turns.
      const within = <A>(
        threadId: string,
        work: (
          process: ClaudeCodeProcess.ClaudeCodeProcess,
          record: ThreadRecords.ThreadRecord,
        ) => Effect.Effect<A, AgentError>,
        options?: ClaudeCodeStartOptions,
        shape?: ThreadProcesses.Need["shape"],
      ) => {
        hand(threadId, options)
        return holder
          .use(threadId, (process) => Effect.flatMap(permitted(threadId), (record) => work(process, record)), {
            renewal: options === undefined ? undefined : renewal(threadId, options),
            shape,
          })
          .pipe(Effect.mapError((error) => (options === undefined ? error : named(error, options))))
      }
      return {
        threads: ClaudeCodeStoredThreads.make(home, records, holder, unknown),
        begin: (options, tools) =>
          Effect.gen(function* () {
            const record = yield* recordOf(options)
            const files = yield* filesOf(options, record.cwd)
            // One is ahead at most, and none where the check has started one: the user's hooks run at each start.
            if (begun.has(ahead) || "problem" in files || needsTrial(files, options)) return
            ahead = randomUUID()
            begun.set(ahead, record)
            const started = holder.use(ahead, ({ ready }) => ready, { shape: anyWith(tools) })
            if (HandedServers.isRequired(options.mcpServers)) return yield* started
            yield* Effect.forkIn(Effect.ignore(started), scope)
          }).pipe(HandedServers.isRequired(options.mcpServers) ? identity : Effect.ignore),
        start: Effect.fnUntraced(function* (options, tools) {
          const record = yield* recordOf(options)
          const threadId = Equal.equals(begun.get(ahead), record) ? ahead : randomUUID()
          if (threadId === ahead) ahead = ""
          hand(threadId, options)
          yield* Effect.ensuring(
            records.put(threadId, record),
            Effect.sync(() => begun.delete(threadId)),
          )
          // Fails before a thread with options that Claude Code does not accept exists.
          if (ClaudeCodeSetup.make(options, home).isGiven || HandedServers.isRequired(options.mcpServers))
            yield* holder.use(threadId, ({ ready }) => ready, { shape: anyWith(tools) })
          return threadId
        }),
        // A thread that another server of the client holds exists. The next turn here waits for its turns.
        open: (threadId, options, tools) =>
          permitted(threadId).pipe(
            // A thread without a transcript is lost: it must not be started anew.
            Effect.flatMap((record) =>
              record.isKnown ? Effect.void : records.put(threadId, { ...record, isKnown: true }),
            ),
            Effect.andThen(lock.isQueued(threadId)),
            Effect.flatMap((isQueued) =>
              isQueued ? Effect.void : within(threadId, ({ ready }) => ready, options, anyWith(tools)),
            ),
          ),
        turn: (threadId, request, listener, options) =>
          Effect.map(
            within(
              threadId,
              (process, { isForgotten }) => {
                if (isForgotten === true) listener.event(forgotten(threadId))
                return process.turn(request, listener)
              },
              options,
              shapeOf(threadId, request, options),
            ),
            ({ rest, ...result }) =>
              rest === undefined ? result : { ...result, rest: { ...rest, done: holder.beside(threadId, rest.done) } },
          ),
      }
    }),
  }
})

/** `make` with records in files. */
export const live = (program: AgentCommand) => Effect.provide(make(program), ThreadRecords.layer(program.env))

const usualEnvironment = {
  // Claude Code 2.1.329 writes a prompt to the transcript before it emits `init`. Otherwise it writes about 100 ms after `init`,
  // and a process that is killed before then loses the thread.
  CLAUDE_CODE_EAGER_FLUSH: "1",
  // It tells when it is idle: not while a sub-agent runs, or a report of background work waits.
  CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1",
  // A structured answer that does not fit is asked for again by the client, which checks it for every agent.
  MAX_STRUCTURED_OUTPUT_RETRIES: "1",
}

/** The shape of a process for work without a prompt, before a turn with these tools. */
const anyWith = (tools: Tools = []): ThreadProcesses.Need["shape"] =>
  tools.length === 0 ? "any" : Effect.succeed(ThreadProcesses.shape({ tools }))

/** With roots, the user's settings must not select a mode without approvals. */
const asking = (options: ClaudeCodeStartOptions): Effect.Effect<ClaudeCodeStartOptions> =>
  Effect.map(Workspace.Roots, (roots) =>
    roots.length === 0 || options.permissionMode !== undefined ? options : { ...options, permissionMode: "default" },
  )

/** Whether only Claude Code knows if it takes the settings of the files and of the options. */
const needsTrial = (files: { readonly isPlain: boolean }, options: ClaudeCodeStartOptions): boolean =>
  !files.isPlain || options.settings?.["mcpServers"] !== undefined

const untrusted = notSupported(
  "With `trust-project`, Claude Code does not support `cwd` of one turn: it would apply that directory's files in place of the session's.",
)

const forgotten = (threadId: string): McpEventContent => ({
  _tag: "Raw",
  method: "warning",
  params: { threadId, message: ThreadStore.forgotten },
})

/** Names the option when Claude Code is too old to change the instructions of a thread. */
const named = (error: AgentError, options: ClaudeCodeStartOptions): AgentError => {
  if (!error.message.includes(newInstructions.replace(/=.*/, ""))) return error
  const option = instructing.find((one) => one in options)
  const name = option === undefined ? "options" : nameOf(option)
  const message = `\`${name}\` cannot change in a thread of this Claude Code. Update Claude Code, or start a new thread. ${error.message}`
  return new AgentError({ reason: "option-refused", message })
}

const unknown = (threadId: string) =>
  unknownThread(`There is no thread ${clip(threadId, maxEchoLength)}. Start one with the tool claude-code.`)
