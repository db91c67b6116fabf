/**
 * A running `codex app-server`: requests in both directions, and the listeners of its threads.
 *
 * @see Codex 0.169 app-server
 */

import * as AcceptTimeout from "@zain/agent-server/AcceptTimeout"
import * as AgentChannel from "@zain/agent-server/AgentChannel"
import type { AgentCommand } from "@zain/agent-server/AgentCommand"
import { AgentError, startFailed } from "@zain/agent-server/AgentError"
import * as ClientTools from "@zain/agent-server/ClientTools"
import { type JsonObject, recordOf, textOf } from "@zain/agent-server/JsonMember"
import type { ThreadLock } from "@zain/agent-server/ThreadLock"
import type { ToolAnswer } from "@zain/core/AgentConnection"
import { clip } from "@zain/core/McpError"
import type { HostGuard } from "@zain/process/HostGuard"
import { isRecord } from "@zain/process/JsonRpc"
import { ownVersion } from "@zain/process/OwnVersion"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import type * as Scope from "effect/Scope"
import * as CodexApproval from "./CodexApproval.ts"
import { appServer } from "./CodexArguments.ts"
import * as CodexConfiguration from "./CodexConfiguration.ts"
import * as CodexEvents from "./CodexEvents.ts"
import * as CodexHolds from "./CodexHolds.ts"
import * as CodexOwnTools from "./CodexOwnTools.ts"
import * as CodexPace from "./CodexPace.ts"
import * as CodexRoutes from "./CodexRoutes.ts"
import * as CodexThreadState from "./CodexThreadState.ts"

export type Route = CodexRoutes.Route

/** A running app-server. */
export interface CodexServer {
  /**
   * Sends a request. Fails with `agent-refused`, `agent-exited`, or after the accept timeout with `stalled`: then Codex has been
   * given up, also for a caller that was interrupted.
   *
   * @param answered receives the result before any later message of Codex
   */
  readonly request: (
    method: string,
    params: JsonObject,
    answered?: (result: JsonObject) => void,
  ) => Effect.Effect<JsonObject, AgentError>
  /** Sends a request, and ignores its response. */
  readonly post: (method: string, params: JsonObject) => void
  /** Adds the newest turn of a thread; returns a function that removes it. */
  readonly route: (threadId: string, route: Route) => () => void
  /** Returns the failures of MCP servers of a thread that preceded its turns, and forgets them. */
  readonly failures: (threadId: string) => ReadonlyArray<JsonObject>
  /** The turns of a thread whose work has not ended. */
  readonly turnsOf: (threadId: string) => ReadonlyArray<Route>
  /** Sets whether a turn's listener is behind. Codex is paused while no other turn waits for it. */
  readonly hold: (route: Route, isHeld: boolean) => void
  /** The thread locks of this process. */
  readonly holds: CodexHolds.CodexHolds
  /** The threads that are not unloaded. */
  readonly threads: Map<string, CodexThreadState.CodexThreadState>
  /** Ends the process by force, and waits for its end. */
  readonly giveUp: Effect.Effect<void>
  /** Whether the process has ended. */
  readonly isOver: () => boolean
  /** Fails with the reason when the process ends. */
  readonly ended: Effect.Effect<never, AgentError>
}

/** Time limit of the handshake. */
const handshakeTimeout = Duration.seconds(30)

/** Time limit of Codex to end interrupted work. */
export const interruptTimeout = Duration.seconds(5)

/** Delay between two attempts to end work, in milliseconds. Codex refuses to interrupt a turn that is just starting. */
export const interruptAgain = 250

/** How many failures of MCP servers a thread keeps for its next turn. */
const maxFailures = 100

/** Required to end the commands that an interrupted turn left running. */
const capabilities = { experimentalApi: true, requestAttestation: false }

/**
 * Starts an app-server, which ends with the Scope.
 *
 * @returns the server, or `AgentError` with reason `start-failed`
 */
export const open = Effect.fnUntraced(function* (
  command: AgentCommand,
  lock: ThreadLock,
  giveUp: Effect.Effect<void>,
): Effect.fn.Return<CodexServer, AgentError, Scope.Scope | HostGuard> {
  // Released after Codex has ended.
  const holds = yield* CodexHolds.make(lock)
  const channel = yield* AgentChannel.ofCommand(command, appServer)
  const server = yield* over(channel, holds, command.acceptTimeout, giveUp)
  const clientInfo = { name: "zain", title: "Zain", version: ownVersion }
  yield* server.request("initialize", { clientInfo, capabilities }).pipe(
    Effect.timeoutOrElse({
      duration: handshakeTimeout,
      orElse: () => startFailed(`It did not answer within ${Duration.format(handshakeTimeout)}.`),
    }),
    Effect.catch(({ message }) =>
      startFailed(
        `${command.command} does not answer as \`codex app-server\`. Check that it is a current Codex. ${message}`,
      ),
    ),
  )
  channel.send({ method: "initialized" })
  return server
})

const over = (
  channel: AgentChannel.AgentChannel,
  holds: CodexHolds.CodexHolds,
  acceptTimeout: Duration.Duration,
  giveUp: Effect.Effect<void>,
): Effect.Effect<CodexServer> =>
  Effect.gen(function* () {
    const end = yield* Deferred.make<never, AgentError>()
    const run = Effect.runForkWith(yield* Effect.context<never>())
    let requests = 0
    let isOver = false
    const orphans = new Set<string>()
    const waiting = new Map<unknown, (answer: AgentChannel.AgentMessage) => void>()
    const routes = CodexRoutes.make()
    const threads = new Map<string, CodexThreadState.CodexThreadState>()
    /** By thread, those that no turn has received. */
    const failures = new Map<string, ReadonlyArray<JsonObject>>()
    let home: string | undefined
    const pace = CodexPace.make(
      (held) => waiting.size > 0 || routes.all().some((route) => !held.has(route)),
      channel.hold,
    )

    const post = (method: string, params: JsonObject) => channel.send({ id: ++requests, method, params })

    const request: CodexServer["request"] = (method, params, answered) =>
      Effect.raceFirst(
        Deferred.await(end),
        Effect.callback<JsonObject, AgentError>((resume) => {
          const id = ++requests
          waiting.set(id, ({ error, result }) => {
            if (isRecord(error)) return resume(Effect.fail(refused(method, error, home)))
            const value = isRecord(result) ? result : {}
            if (method === "initialize") home = textOf(value, "codexHome")
            answered?.(value)
            resume(Effect.succeed(value))
          })
          channel.send({ id, method, params })
          pace.changed()
          return Effect.sync(() => {
            waiting.delete(id)
            pace.changed()
          })
        }),
      ).pipe(
        method === "initialize" ? identity : answeredWithin(method, acceptTimeout),
        Effect.tapError(({ reason }) => (reason === "stalled" ? giveUp : Effect.void)),
        // Detached, because Codex works on a request also after its caller was interrupted.
        Effect.forkDetach({ startImmediately: true }),
        Effect.flatMap(Fiber.join),
      )

    const notified = (method: string, params: JsonObject) => {
      const threadId = CodexRoutes.threadOf(params)
      if (method === "thread/closed" && threadId !== undefined) {
        CodexThreadState.closed(threads.get(threadId))
        threads.delete(threadId)
        failures.delete(threadId)
        holds.leave(threadId)
      }
      if (method === CodexEvents.rateLimits) for (const route of routes.all()) route.notification(method, params)
      const to = routes.of(method, params)
      to?.notification(method, params)
      if (
        to === undefined &&
        method === CodexEvents.startup &&
        params["status"] === "failed" &&
        threadId !== undefined
      ) {
        const known = failures.get(threadId) ?? []
        if (known.length < maxFailures) failures.set(threadId, [...known, params])
      }
      const turnId = textOf(recordOf(params, "turn"), "id") ?? ""
      if (method === "turn/completed") orphans.delete(turnId)
      if (to === undefined && method === "turn/started") run(endOrphan(threadId, turnId))
    }

    /** Nothing acts without a listener, such as the next turn for a goal when a thread is loaded. */
    const endOrphan = (threadId: string | undefined, turnId: string) =>
      Effect.gen(function* () {
        orphans.add(turnId)
        while (orphans.has(turnId) && !isOver) {
          yield* Effect.exit(request("turn/interrupt", { threadId, turnId }))
          yield* Effect.sleep(interruptAgain)
        }
      }).pipe(Effect.timeoutOrElse({ duration: interruptTimeout, orElse: () => giveUp }))

    const asked = (id: unknown, method: string, params: JsonObject) => {
      const to = routes.of(method, params)
      if (method === CodexOwnTools.method) {
        const reply = (answer: ToolAnswer) => channel.send({ id, result: CodexOwnTools.result(answer) })
        return to === undefined ? reply(ClientTools.refused("No client is connected.")) : to.tool(params, reply)
      }
      const question = CodexApproval.read(method, params, to?.editsOf ?? (() => []))
      let isAnswered = false
      const reply = (result: unknown) => {
        if (isAnswered) return
        isAnswered = true
        channel.send({ id, result })
      }
      if (question === undefined) {
        const result = CodexApproval.dismissed(method)
        if (result !== undefined) reply(result)
        else channel.send({ id, error: { code: -32601, message: `Zain does not support ${method}.` } })
      } else if (to === undefined) {
        reply(question.answer({ _tag: "Decline", reason: "No client is connected that could decide." }))
      } else {
        to.question(question, reply)
      }
    }

    channel.listen({
      message: (message) => {
        const { id, method } = message
        if (typeof method !== "string") {
          const answered = waiting.get(id)
          waiting.delete(id)
          answered?.(message)
          pace.changed()
        } else if (id === undefined) notified(method, recordOf(message, "params"))
        else asked(id, method, recordOf(message, "params"))
      },
      ended: (reason) => {
        isOver = true
        Deferred.doneUnsafe(end, Effect.fail(new AgentError({ reason: "agent-exited", message: reason })))
      },
    })

    return {
      request,
      post,
      route: (threadId, route) => {
        const leave = routes.place(threadId, route)
        pace.changed()
        return () => {
          leave()
          pace.left(route)
        }
      },
      failures: (threadId) => {
        const known = failures.get(threadId) ?? []
        failures.delete(threadId)
        return known
      },
      turnsOf: routes.on,
      hold: pace.hold,
      holds,
      threads,
      giveUp,
      isOver: () => isOver,
      ended: Deferred.await(end),
    }
  })

const answeredWithin = (method: string, limit: Duration.Duration) =>
  AcceptTimeout.within(`Codex did not answer ${method}`, limit, method === "turn/start" ? "unknown" : "not-sent")

const refused = (method: string, error: JsonObject, home: string | undefined): AgentError => {
  const why = textOf(error, "message")?.trim() ?? "without a reason"
  const message =
    method === "config/read" ? CodexConfiguration.problem(why, home) : clip(`Codex refused ${method}: ${why}`)
  return new AgentError({ reason: "agent-refused", message })
}
