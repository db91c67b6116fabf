/**
 * A running `codex app-server`: its requests and ours, and which thread hears what.
 *
 * @see Codex 0.169 app-server
 */

import * as AgentChannel from "@zain/agent-server/AgentChannel"
import type { AgentCommand } from "@zain/agent-server/AgentCommand"
import { AgentError } from "@zain/agent-server/AgentError"
import { recordOf, textOf } from "@zain/agent-server/JsonMember"
import type { ThreadLock } from "@zain/agent-server/ThreadLock"
import type { HostGuard } from "@zain/process/HostGuard"
import { isRecord } from "@zain/process/JsonRpc"
import { ownVersion } from "@zain/process/OwnVersion"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as CodexApproval from "./CodexApproval.ts"
import * as CodexHolds from "./CodexHolds.ts"
import * as CodexPace from "./CodexPace.ts"
import type { CodexSettings } from "./CodexSettings.ts"
import * as CodexSubAgents from "./CodexSubAgents.ts"

export type Params = Readonly<Record<string, unknown>>

/**
 * Who hears a thread and its sub-agents. Both return at once.
 *
 * - `notification`: what Codex says
 * - `question`: what it asks. Every question is answered with `reply`, once
 */
export interface Route {
  readonly notification: (method: string, params: Params) => void
  readonly question: (question: CodexApproval.Question, reply: (result: unknown) => void) => void
}

/**
 * - `request`: asks Codex. `answered` hears the result before anything that Codex says after it. Fails with
 *   `agent-refused`, or `agent-exited`
 * - `post`: asks at once, and takes no answer
 * - `route`: names who hears a thread from now on; gives what ends that
 * - `hold`: a thread's listener is behind. Codex is held back while no other thread waits for it
 * - `holds`: the threads that this process holds for Codex
 * - `loaded`: the threads that need no `thread/resume`, and what their turns run with
 * - `leaving`: the threads that are unsubscribed from, until Codex has unloaded them
 * - `kept`: the commands that turns have left running when they ended by themselves, by their items
 * - `isOver`, `ended`: whether, and why, nothing can be asked any more
 */
export interface CodexServer {
  readonly request: (
    method: string,
    params: Params,
    answered?: (result: Params) => void,
  ) => Effect.Effect<Params, AgentError>
  readonly post: (method: string, params: Params) => void
  readonly route: (threadId: string, route: Route, editsOf: CodexApproval.EditsOf) => () => void
  readonly hold: (threadId: string, isHeld: boolean) => void
  readonly holds: CodexHolds.CodexHolds
  readonly loaded: Map<string, CodexSettings>
  readonly leaving: Set<string>
  readonly kept: Set<string>
  readonly isOver: () => boolean
  readonly ended: Effect.Effect<never, AgentError>
}

/** How long a program may take to say that it is an app-server. */
const handshakeLimit = Duration.seconds(30)

/** A thread that is unsubscribed from is unloaded at once. */
const settings = ["-c", "thread_unload_delay_secs=0"]

/** Asked for in order to end what an interrupted turn has left running. */
const capabilities = { experimentalApi: true, requestAttestation: false }

/**
 * Starts one. It ends with the Scope.
 *
 * @returns the server, or `AgentError` with reason `start-failed`
 */
export const open = Effect.fnUntraced(function* (
  command: AgentCommand,
  lock: ThreadLock,
): Effect.fn.Return<CodexServer, AgentError, Scope.Scope | HostGuard> {
  // Ends after Codex has.
  const holds = yield* CodexHolds.make(lock)
  const channel = yield* AgentChannel.open(AgentChannel.target(command, ["app-server", ...settings]))
  const server = yield* over(channel, holds)
  const clientInfo = { name: "zain", title: "Zain", version: ownVersion }
  yield* server.request("initialize", { clientInfo, capabilities }).pipe(
    Effect.timeoutOrElse({
      duration: handshakeLimit,
      orElse: () => startFailed(`It said nothing for ${Duration.format(handshakeLimit)}.`),
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

const startFailed = (message: string) => Effect.fail(new AgentError({ reason: "start-failed", message }))

const over = (channel: AgentChannel.AgentChannel, holds: CodexHolds.CodexHolds): Effect.Effect<CodexServer> =>
  Effect.map(Deferred.make<never, AgentError>(), (end) => {
    let requests = 0
    let isOver = false
    const waiting = new Map<unknown, (answer: AgentChannel.AgentMessage) => void>()
    const routes = new Map<string, { readonly route: Route; readonly editsOf: CodexApproval.EditsOf }>()
    const subAgents = CodexSubAgents.make()
    const loaded = new Map<string, CodexSettings>()
    const leaving = new Set<string>()
    const kept = new Set<string>()
    const pace = CodexPace.make(
      (held) => waiting.size > 0 || [...routes.keys()].some((threadId) => !held.has(threadId)),
      channel.hold,
    )

    const routeOf = (threadId = "") => routes.get(threadId) ?? routes.get(subAgents.parentOf(threadId) ?? "")

    const notified = (method: string, params: Params) => {
      const threadId = CodexApproval.threadOf(params) ?? textOf(recordOf(params, "thread"), "id")
      if (method === "thread/closed" && threadId !== undefined) {
        loaded.delete(threadId)
        leaving.delete(threadId)
        holds.leave(threadId)
        subAgents.forget(threadId)
      }
      if (method === "item/completed") kept.delete(textOf(recordOf(params, "item"), "id") ?? "")
      if (threadId !== undefined) subAgents.told(method, threadId, recordOf(params, "turn"))
      routeOf(threadId)?.route.notification(method, params)
    }

    const asked = (id: unknown, method: string, params: Params) => {
      const to = routeOf(CodexApproval.threadOf(params))
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
        else channel.send({ id, error: { code: -32601, message: `Zain does not know ${method}.` } })
      } else if (to === undefined) {
        reply(question.answer({ _tag: "Decline", reason: "Nobody is there to decide." }))
      } else {
        to.route.question(question, reply)
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
      request: (method, params, answered) =>
        Effect.raceFirst(
          Deferred.await(end),
          Effect.callback<Params, AgentError>((resume) => {
            const id = ++requests
            waiting.set(id, ({ error, result }) => {
              if (isRecord(error)) return resume(Effect.fail(refused(method, error)))
              const value = isRecord(result) ? result : {}
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
        ),
      post: (method, params) => channel.send({ id: ++requests, method, params }),
      route: (threadId, route, editsOf) => {
        const own = { route, editsOf }
        routes.set(threadId, own)
        pace.changed()
        return () => {
          if (routes.get(threadId) === own) routes.delete(threadId)
          pace.left(threadId)
        }
      },
      hold: pace.hold,
      holds,
      loaded,
      leaving,
      kept,
      isOver: () => isOver,
      ended: Deferred.await(end),
    }
  })

const refused = (method: string, error: Params): AgentError =>
  new AgentError({
    reason: "agent-refused",
    message: `Codex refused ${method}: ${textOf(error, "message")?.slice(0, 1024) ?? "without a reason"}`,
  })
