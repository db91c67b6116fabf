/**
 * The processes of threads: starts, shares, and ends them.
 */

import { AgentError, startFailed } from "@zain/agent-server/AgentError"
import type { JsonObject } from "@zain/agent-server/JsonMember"
import type { ThreadLock } from "@zain/agent-server/ThreadLock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { ClaudeCodeProcess, ProcessShape } from "./ClaudeCodeProcess.ts"
import * as HeldProcess from "./HeldProcess.ts"

/** Limits of idle processes. */
export interface ProcessLimits {
  /** How long a process without a turn stays. */
  readonly idleTimeout: Duration.Duration
  /** How many idle processes stay; the oldest ends first. */
  readonly maxIdle: number
}

/** An effect with a process. */
export type Work<A> = (process: ClaudeCodeProcess) => Effect.Effect<A, AgentError>

/** New options of a thread. */
export interface Renewal {
  /** Stores the options, once the thread is locked. The process is replaced then. */
  readonly apply: Effect.Effect<void, AgentError>
  /** Restores the previous options when no process started with the new ones. */
  readonly undo: Effect.Effect<void>
}

/** What the process of some work must be. */
export interface Need {
  /** Runs before the work. */
  readonly renewal?: Effect.Effect<Renewal | undefined, AgentError> | undefined
  /** What the process has from its start on; one with another is replaced. `any` for work without a prompt. */
  readonly shape?: Effect.Effect<ProcessShape, AgentError> | "any" | undefined
}

type Wanted = ProcessShape | "any"

/** The shape of a process without one. */
export const plain: ProcessShape = { text: "" }

/**
 * The shape of a process with these members; `plain` without any.
 *
 * @param outputSchema the schema of `output`
 */
export const shape = (members: Omit<ProcessShape, "text">, outputSchema?: JsonObject): ProcessShape => {
  const { cwd, maxTurns, tools } = members
  const parts = [outputSchema, cwd, maxTurns, tools]
  return parts.every((part) => part === undefined) ? plain : { ...members, text: JSON.stringify(parts) }
}

/** The processes of one client. */
export interface ProcessHolder {
  /** Runs work with the process of a thread. Work on one thread runs in order. */
  readonly use: <A>(threadId: string, work: Work<A>, need?: Need) => Effect.Effect<A, AgentError>
  /** Ends a thread's process after the work on it, and runs an effect while the thread is locked and has none. */
  readonly alone: <A>(threadId: string, effect: Effect.Effect<A, AgentError>) => Effect.Effect<A, AgentError>
  /** Runs an effect beside the work on a thread. The thread's process stays meanwhile, unless it can run no further turn. */
  readonly beside: <A>(threadId: string, effect: Effect.Effect<A>) => Effect.Effect<A>
}

/** The processes of all clients. */
export interface ThreadProcesses {
  /** Adds a client. Processes that no other client has used end with the Scope. */
  readonly hold: Effect.Effect<ProcessHolder, never, Scope.Scope>
}

interface Holder {
  /** Whether its Scope has closed. */
  isOver: boolean
}

interface Thread {
  readonly id: string
  readonly turns: Semaphore.Semaphore
  readonly holders: Set<object>
  users: number
  /** How many effects run beside its work. */
  beside: number
  running?: HeldProcess.HeldProcess | undefined
  idle?: Fiber.Fiber<unknown, unknown> | undefined
}

/**
 * Makes the processes, which end with the Scope.
 *
 * @param open starts the process of a thread, which ends with its Scope
 * @param lock locks a thread from before its process starts until it has ended
 */
export const make = Effect.fnUntraced(function* (
  open: (threadId: string, shape: ProcessShape) => Effect.Effect<ClaudeCodeProcess, AgentError, Scope.Scope>,
  lock: ThreadLock,
  { idleTimeout, maxIdle }: ProcessLimits,
): Effect.fn.Return<ThreadProcesses, never, Scope.Scope> {
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  const run = Effect.runSyncWith(yield* Effect.context<never>())
  const threads = new Map<string, Thread>()

  /** @param prepare runs after the thread is locked and before the process starts */
  const start = (
    thread: Thread,
    prepare: Effect.Effect<void, AgentError>,
    shape: ProcessShape,
  ): Effect.Effect<HeldProcess.HeldProcess, AgentError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const hold = restore(lock.acquire(thread.id, () => letGo(thread)))
        const running = yield* HeldProcess.open(scope, hold, Effect.andThen(prepare, open(thread.id, shape)))
        thread.running = running
        if (thread.holders.size > 0) return running
        yield* running.close(Exit.void)
        return yield* tooLate
      }),
    )

  const ready = (thread: Thread, wanted: Wanted, prepare: Effect.Effect<void, AgentError> = Effect.void) =>
    Effect.suspend(() => {
      const { running } = thread
      const shape = wanted === "any" ? plain : wanted
      const isFit = wanted === "any" || running?.process.shape.text === shape.text
      if (running?.isOpen() && isFit) return Effect.as(running.join, running)
      if (running === undefined) return start(thread, prepare, shape)
      if (running.isOpen() && thread.beside > 0) return Effect.fail(goesOn)
      return Effect.andThen(running.close(Exit.void), start(thread, prepare, shape))
    })

  /** Ends the process of a thread, and removes the thread, unless it is used again by then. */
  const retire = (thread: Thread, isDue: () => boolean): Effect.Effect<void> =>
    Effect.suspend(() =>
      Effect.map(thread.running?.close(Exit.void, isDue) ?? Effect.void, () => {
        if (thread.users > 0 || thread.running?.isOpen()) return
        if (threads.get(thread.id) === thread) threads.delete(thread.id)
      }),
    )
  /** Releases a thread for another server of the client, after its running and waiting turns. */
  const letGo = (thread: Thread) => {
    run(Effect.forkIn(thread.turns.withPermit(retire(thread, () => true)), scope))
  }
  const retireIdle = (thread: Thread) => retire(thread, () => thread.users === 0)
  const retireUnheld = (thread: Thread) => retire(thread, () => thread.holders.size === 0)

  const rest = Effect.fnUntraced(function* (thread: Thread): Effect.fn.Return<void> {
    if (thread.holders.size === 0) return yield* retireUnheld(thread)
    if (!thread.running?.isOpen()) return yield* retireIdle(thread)
    threads.delete(thread.id)
    threads.set(thread.id, thread)
    thread.idle = yield* Effect.forkIn(Effect.delay(retireIdle(thread), idleTimeout), scope)
    const idle = [...threads.values()].filter(({ running, users }) => users === 0 && running?.isOpen())
    for (const old of idle.slice(0, Math.max(0, idle.length - maxIdle))) {
      yield* Effect.forkIn(retireIdle(old), scope)
    }
  })

  const enter = (threadId: string, holder: object): Thread => {
    const thread = threads.get(threadId) ?? {
      id: threadId,
      turns: Semaphore.makeUnsafe(1),
      holders: new Set<object>(),
      users: 0,
      beside: 0,
    }
    threads.set(threadId, thread)
    thread.users++
    thread.holders.add(holder)
    thread.idle?.interruptUnsafe()
    thread.idle = undefined
    return thread
  }
  const leave = (thread: Thread): Effect.Effect<void> =>
    Effect.suspend(() => (--thread.users > 0 ? Effect.void : rest(thread)))

  /** Ends a process that can run no further turn, and kills it if it did not end what it had to. */
  const endSpent = (thread: Thread): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { running } = thread
      if (running === undefined || running.process.isUsable()) return Effect.void
      return running.close(running.process.isDeaf() ? Exit.fail("deaf") : Exit.void)
    })
  /**
   * A process that did not end its turn is killed before the turn is over. A process that ended without a message has not used
   * the prompt, and may have ended while idle, so the work is tried a second time.
   */
  const within = <A>(
    thread: Thread,
    work: Work<A>,
    wanted: Wanted,
    prepare?: Effect.Effect<void, AgentError>,
    mayTryAgain = true,
  ): Effect.Effect<A, AgentError> =>
    Effect.flatMap(ready(thread, wanted, prepare), ({ process }) =>
      work(process).pipe(
        Effect.ensuring(endSpent(thread)),
        Effect.catchIf(
          ({ delivery, reason }) =>
            mayTryAgain &&
            reason === "agent-exited" &&
            (process.isSilent() || delivery === "not-sent") &&
            thread.holders.size > 0,
          () => within(thread, work, wanted, undefined, false),
        ),
      ),
    )

  const close = (thread: Thread) => Effect.suspend(() => thread.running?.close(Exit.void) ?? Effect.void)
  const renew = (thread: Thread, wanted: Wanted, { renewal = Effect.succeed(undefined) }: Need) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const renewed = yield* restore(renewal)
        if (renewed === undefined) return
        yield* close(thread)
        let isApplied = false
        const apply = Effect.suspend(() => {
          isApplied = true
          return renewed.apply
        })
        yield* restore(within(thread, ({ ready }) => ready, wanted, apply)).pipe(
          Effect.onError(() => (isApplied ? Effect.andThen(renewed.undo, close(thread)) : Effect.void)),
        )
      }),
    )

  /** Runs work on a thread after the work before it. */
  const queued = <A>(threadId: string, holder: Holder, work: (thread: Thread) => Effect.Effect<A, AgentError>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => enter(threadId, holder)),
      (thread) => thread.turns.withPermit(Effect.suspend(() => (holder.isOver ? tooLate : work(thread)))),
      leave,
    )

  const release = (holder: Holder): Effect.Effect<void> =>
    Effect.suspend(() => {
      holder.isOver = true
      const left = [...threads.values()].filter(({ holders }) => holders.delete(holder) && holders.size === 0)
      for (const { idle } of left) idle?.interruptUnsafe()
      return Effect.forEach(left, retireUnheld, { concurrency: "unbounded", discard: true })
    })

  return {
    hold: Effect.map(
      Effect.acquireRelease(
        Effect.sync((): Holder => ({ isOver: false })),
        release,
      ),
      (holder) => ({
        use: (threadId, work, need = {}) =>
          queued(threadId, holder, (thread) =>
            Effect.flatMap(wantedOf(need), (wanted) =>
              Effect.andThen(renew(thread, wanted, need), within(thread, work, wanted)),
            ),
          ),
        alone: (threadId, effect) =>
          queued(threadId, holder, (thread) => {
            if (thread.beside > 0) return Effect.fail(goesOn)
            const locked = Effect.andThen(
              lock.acquire(threadId, () => {}),
              effect,
            )
            return Effect.andThen(close(thread), Effect.scoped(locked))
          }),
        beside: (threadId, effect) =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              const thread = enter(threadId, holder)
              thread.beside++
              return thread
            }),
            (thread) => Effect.ensuring(effect, endSpent(thread)),
            (thread) =>
              Effect.suspend(() => {
                thread.beside--
                return leave(thread)
              }),
          ),
      }),
    ),
  }
})

const wantedOf = ({ shape }: Need): Effect.Effect<Wanted, AgentError> =>
  shape === undefined ? Effect.succeed(plain) : shape === "any" ? Effect.succeed(shape) : shape

const goesOn = new AgentError({
  reason: "agent-refused",
  delivery: "not-sent",
  message:
    "The thread, and the schema of the answer, `cwd` and `maxTurns` of one turn, cannot change while background work of the thread goes on. Wait for its events `BackgroundFinished`, or close the session.",
})

const tooLate = startFailed("The client has disconnected, and its agents were ended.")
