/**
 * The seven services of an editor that is a value: no connection, no process.
 */
import { Clock, Context, Deferred, Duration, Effect, Queue, Result, Stream, SubscriptionRef } from "effect"
import { ClientCompatibilityService } from "../../src/application/ClientCompatibilityService.ts"
import { ConnectionService } from "../../src/application/ConnectionService.ts"
import { DiscoveryService } from "../../src/application/DiscoveryService.ts"
import { EventService } from "../../src/application/EventService.ts"
import { MessageService } from "../../src/application/MessageService.ts"
import { ToolManagementService } from "../../src/application/ToolManagementService.ts"
import { ToolQueryService } from "../../src/application/ToolQueryService.ts"
import {
  ConnectionError,
  DiscoveryError,
  type DomainError,
  ofEditor,
  ToolExecutionError,
} from "../../src/domain/DomainError.ts"
import type { EditorFailure, Hello, Notice } from "../../src/domain/EditorProfile.ts"
import * as ToolNames from "../../src/domain/ToolNames.ts"
import { listMethod, type Setting, toolsOf } from "../../testing/domain/Setting.ts"

/** What an editor answers to a call. */
export type Reply = Result.Result<unknown, EditorFailure>

export type AllServices =
  | ClientCompatibilityService
  | ConnectionService
  | DiscoveryService
  | EventService
  | MessageService
  | ToolManagementService
  | ToolQueryService

/**
 * What a test has an editor do, and sees of it.
 *
 * - `stall`: a connection to it takes 5 seconds, and comes about if it has come by then
 * - `come`, `leave`: it can be reached from now on, or closes the connection; `quitting`: it says so before
 */
export interface Controls {
  readonly stall: () => void
  readonly come: (hello?: Hello) => void
  readonly leave: (how?: "quitting") => void
  /** It sends a notice. */
  readonly report: (kind: Exclude<Notice["kind"], "content-changed">) => void
  /** Of the open calls the oldest is answered. */
  readonly answer: (reply: Reply) => void
  /** The methods of the calls that it was sent. */
  readonly sent: () => ReadonlyArray<string>
  /** How often it was connected to. */
  readonly connections: () => number
}

const failures = {
  refused: new DiscoveryError({ message: "connection refused", delivery: "not-sent", reason: "refused" }),
  away: new ConnectionError({ message: "the editor is away", delivery: "not-sent", reason: "away" }),
  lost: new ConnectionError({ message: "the editor was lost", delivery: "unknown", reason: "lost" }),
  timeout: new ToolExecutionError({ message: "timed out", delivery: "unknown", reason: "timeout" }),
  noProject: new ToolExecutionError({ message: "no project", delivery: "not-sent", reason: "editor" }),
}

/** `reply`: what calls are answered at once; those without a reply stay open. */
export interface FakeControls extends Controls {
  reply: (method: string) => Reply | undefined
}

export const make = Effect.fnUntraced(function* ({ catalogue, client, grace }: Setting) {
  const clock = yield* Clock.Clock
  const isOpen = yield* SubscriptionRef.make(false)
  const changes = yield* SubscriptionRef.make(0)
  const notices = yield* Queue.unbounded<Notice>()
  const sent: Array<string> = []
  const calls: Array<Deferred.Deferred<unknown, DomainError>> = []
  let hello: Hello | undefined
  let isLooking = false
  let isStalled = false
  let connections = 0
  /** Until when calls wait for an editor that was there. */
  let graceEnd = 0
  let tools = toolsOf(catalogue)
  let removed: Array<string> = []
  let isCleared = false
  let isRefreshing = false
  let isStale = false

  const connect = () => {
    isLooking = true
    if (hello === undefined || SubscriptionRef.getUnsafe(isOpen)) return
    connections++
    if (catalogue._tag === "Dynamic" && hello.tools !== undefined) tools = catalogue.read(hello.tools)
    removed = []
    isCleared = false
    Effect.runSync(SubscriptionRef.set(isOpen, true))
  }
  const settle = (call: Deferred.Deferred<unknown, DomainError>, reply: Reply) =>
    Deferred.doneUnsafe(call, Effect.fromResult(Result.mapError(reply, ofEditor)))
  const controls: FakeControls = {
    reply: () => undefined,
    stall: () => {
      isStalled = true
    },
    come: (now = {}) => {
      hello = now
      if (isLooking) connect()
    },
    leave: (how) => {
      hello = undefined
      graceEnd = how === "quitting" ? 0 : clock.currentTimeMillisUnsafe() + Duration.toMillis(grace)
      Effect.runSync(SubscriptionRef.set(isOpen, false))
      for (const call of calls.splice(0)) Deferred.doneUnsafe(call, Effect.fail(failures.lost))
    },
    report: (kind) => void Queue.offerUnsafe(notices, { _tag: "Notice", kind }),
    answer: (reply) => {
      const call = calls.shift()
      if (call !== undefined) settle(call, reply)
    },
    sent: () => sent,
    connections: () => connections,
  }

  const opened = SubscriptionRef.changes(isOpen).pipe(Stream.filter(Boolean), Stream.runHead)
  const isThereWithin = (timeout: Duration.Duration) =>
    Effect.map(Effect.timeoutOption(opened, timeout), ({ _tag }) => _tag === "Some")
  const waitForConnection = (timeout: Duration.Duration) =>
    Effect.suspend(() => isThereWithin(isStalled || connections > 0 ? timeout : Duration.zero))
  const graceLeft = Effect.sync(() => Duration.millis(Math.max(0, graceEnd - clock.currentTimeMillisUnsafe())))
  const ensureConnected = Effect.gen(function* () {
    connect()
    if (yield* SubscriptionRef.get(isOpen)) return
    const left = yield* graceLeft
    if (Duration.toMillis(left) === 0) return yield* failures.refused
    if (!(yield* isThereWithin(left))) return yield* failures.away
  })

  const request: MessageService["Service"]["request"] = Effect.fnUntraced(function* (method, params, options) {
    yield* ensureConnected
    sent.push(method)
    const call = Deferred.makeUnsafe<unknown, DomainError>()
    const reply = controls.reply(method)
    if (reply === undefined) calls.push(call)
    else settle(call, reply)
    const answered = Effect.timeoutOrElse(Deferred.await(call), {
      duration: Duration.millis(options.timeoutMs ?? 30_000),
      orElse: () => Effect.fail(failures.timeout),
    })
    return yield* Effect.catchIf(
      answered,
      (error) => error === failures.lost && options.isRepeatable,
      () => request(method, params, { ...options, isRepeatable: false }),
    )
  })

  const getAllTools = Effect.sync(() => (isCleared ? [] : tools.filter(({ name }) => !removed.includes(name))))
  const queries = {
    getAllTools,
    getTool: (wanted: string) => Effect.map(getAllTools, (all) => ToolNames.find(all, wanted)),
  }
  const renew = Effect.gen(function* () {
    if (catalogue._tag === "Static") return
    for (isStale = true; isStale; ) {
      isStale = false
      tools = catalogue.read(yield* request(listMethod, {}, { isRepeatable: true }))
    }
  })
  const refreshTools = Effect.suspend(() => {
    isStale = true
    if (isRefreshing) return Effect.void
    isRefreshing = true
    return Effect.ensuring(
      renew,
      Effect.sync(() => {
        isRefreshing = false
      }),
    )
  })

  const services: Context.Context<AllServices> = Context.empty().pipe(
    Context.add(ConnectionService, {
      state: Effect.map(SubscriptionRef.get(isOpen), (open) => {
        if (open) return "Ready"
        if (connections > 0) return "Away"
        return isLooking ? "Connecting" : "Idle"
      }),
      isConnected: SubscriptionRef.get(isOpen),
      ensureConnected,
      waitForConnection,
      handleConnectionLost: Effect.flatMap(graceLeft, Effect.sleep),
      project: Effect.andThen(
        ensureConnected,
        Effect.suspend(() =>
          hello?.project === undefined ? Effect.fail(failures.noProject) : Effect.succeed(hello.project),
        ),
      ),
    }),
    Context.add(DiscoveryService, { startDiscovery: Effect.sync(connect) }),
    Context.add(MessageService, { request }),
    Context.add(EventService, {
      notices: Stream.fromQueue(notices),
      sendToolsChanged: SubscriptionRef.update(changes, (count) => count + 1),
      toolsChanged: SubscriptionRef.changes(changes).pipe(
        Stream.filter((count) => count > 0),
        Stream.map(() => undefined),
      ),
    }),
    Context.add(ToolQueryService, queries),
    Context.add(ToolManagementService, {
      ...queries,
      initializeDynamicTools: Effect.void,
      refreshTools,
      clearTools: Effect.sync(() => {
        isCleared = catalogue._tag === "Dynamic"
      }),
      removeTool: (name) =>
        Effect.sync(() => {
          if (catalogue._tag === "Static") removed.push(name)
        }),
    }),
    Context.add(ClientCompatibilityService, {
      clientName: client.name,
      isStructured: true,
      asksAgain: client.asksAgain,
      visible: (all) => ToolNames.withoutDots(all.slice(0, client.max), all),
    }),
  )
  return { controls, services }
})
