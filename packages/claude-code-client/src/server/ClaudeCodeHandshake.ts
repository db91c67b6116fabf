/**
 * What Claude Code is asked, and must have answered, before it gets a prompt.
 */
import { randomUUID } from "node:crypto"
import { AgentError } from "@zain/agent-server/AgentError"
import { type JsonObject, recordOf, textOf } from "@zain/agent-server/JsonMember"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { controlRequest } from "./StreamJson.ts"

/**
 * - `args`: what stands on the command line for it
 * - `requests`: control requests, in the order in which they are sent; nothing is sent before them
 * - `problem`: by the answers, in the same order, why Claude Code works otherwise than asked
 * - `mayBeSandboxed`: by the answers, whether its settings put a sandbox around commands
 */
export interface Handshake {
  readonly args: ReadonlyArray<string>
  readonly requests: ReadonlyArray<object>
  readonly problem: (answers: ReadonlyArray<JsonObject>) => string | undefined
  readonly mayBeSandboxed: (answers: ReadonlyArray<JsonObject>) => boolean
}

/**
 * - `done`: all is answered, and as it should be. Fails with `start-failed`, or with the error given to `fail`
 * - `ask`: sends the requests. Call it once the answers are listened to
 * - `isDone`: whether that is over, one way or the other
 * - `hear`: an answer, to this or to something else
 * - `fail`: there will be no more of them
 * - `mayBeSandboxed`: see `Handshake`
 */
export interface Greeting {
  readonly done: Effect.Effect<void, AgentError>
  readonly ask: () => void
  readonly isDone: () => boolean
  readonly hear: (message: JsonObject) => void
  readonly fail: (error: AgentError) => void
  readonly mayBeSandboxed: () => boolean
}

/** Nothing is sent yet. */
export const begin = ({ mayBeSandboxed, problem, requests }: Handshake, send: (message: object) => void): Greeting => {
  const done = Deferred.makeUnsafe<void, AgentError>()
  const ids: ReadonlyArray<string> = requests.map(() => randomUUID())
  const answers = new Map<string, JsonObject>()
  const inOrder = () => ids.map((id) => answers.get(id) ?? {})
  const settle = () => {
    if (answers.size < ids.length) return
    const message = problem(inOrder())
    const error = new AgentError({ reason: "start-failed", message: message ?? "" })
    Deferred.doneUnsafe(done, message === undefined ? Effect.void : Effect.fail(error))
  }
  return {
    done: Deferred.await(done),
    ask: () => {
      for (const [at, request] of requests.entries()) send(controlRequest(ids[at] ?? "", request))
    },
    isDone: () => Deferred.isDoneUnsafe(done),
    hear: (message) => {
      const response = recordOf(message, "response")
      const id = textOf(response, "request_id") ?? ""
      if (!ids.includes(id)) return
      answers.set(id, response)
      settle()
    },
    fail: (error) => void Deferred.doneUnsafe(done, Effect.fail(error)),
    mayBeSandboxed: () => mayBeSandboxed(inOrder()),
  }
}
