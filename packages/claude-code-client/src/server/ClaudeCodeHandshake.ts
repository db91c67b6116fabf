/**
 * Requests that Claude Code must answer before its first prompt.
 */
import { randomUUID } from "node:crypto"
import { AgentError } from "@zain/agent-server/AgentError"
import { type JsonObject, recordOf, textOf } from "@zain/agent-server/JsonMember"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { controlRequest } from "./StreamJson.ts"

/** The requests and the checks of their answers. */
export interface Handshake {
  /** Arguments on the command line for the handshake. */
  readonly args: ReadonlyArray<string>
  /** Control requests, in the order in which they are sent, before anything else. */
  readonly requests: ReadonlyArray<object>
  /** Checks the answers, in the same order: why Claude Code does not work as required. */
  readonly problem: (answers: ReadonlyArray<JsonObject>) => string | undefined
  /** Whether Claude Code's settings may put commands in a sandbox, by the answers. */
  readonly mayBeSandboxed: (answers: ReadonlyArray<JsonObject>) => boolean
}

/** A running handshake. */
export interface Greeting {
  /** Succeeds when all answers are valid. Fails with `invalid-config`, or with the error passed to `fail`. */
  readonly done: Effect.Effect<void, AgentError>
  /** Sends the requests. Call it after `hear` is connected. */
  readonly ask: () => void
  /** Whether the handshake has succeeded or failed. */
  readonly isDone: () => boolean
  /** Receives a response, of this handshake or of another request. */
  readonly hear: (message: JsonObject) => void
  /** Fails the handshake. */
  readonly fail: (error: AgentError) => void
  /** See `Handshake`. */
  readonly mayBeSandboxed: () => boolean
}

/** Makes a handshake; `ask` sends it. */
export const begin = ({ mayBeSandboxed, problem, requests }: Handshake, send: (message: object) => void): Greeting => {
  const done = Deferred.makeUnsafe<void, AgentError>()
  const ids: ReadonlyArray<string> = requests.map(() => randomUUID())
  const answers = new Map<string, JsonObject>()
  const inOrder = () => ids.map((id) => answers.get(id) ?? {})
  const settle = () => {
    if (answers.size < ids.length) return
    const message = problem(inOrder())
    const error = new AgentError({ reason: "invalid-config", message: message ?? "" })
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
