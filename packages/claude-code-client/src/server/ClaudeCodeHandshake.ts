/**
 * Requests that Claude Code must answer before its first prompt.
 */
import { AgentError } from "@zain/agent-server/AgentError"
import { type JsonObject, recordOf, textOf } from "@zain/agent-server/JsonMember"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ControlRequests } from "./ControlRequests.ts"

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
  /** Sends the requests. Call it after the process's answers are read. */
  readonly ask: () => void
  /** Whether the handshake has succeeded or failed. */
  readonly isDone: () => boolean
  /** Fails the handshake. */
  readonly fail: (error: AgentError) => void
  /** See `Handshake`. */
  readonly mayBeSandboxed: () => boolean
  /** The model and the permission mode of the process, unless it is too old to name them. */
  readonly settings: () => { readonly model: string | undefined; readonly mode: string | undefined }
}

/** Makes a handshake; `ask` sends it. */
export const begin = ({ mayBeSandboxed, problem, requests }: Handshake, control: ControlRequests): Greeting => {
  const done = Deferred.makeUnsafe<void, AgentError>()
  const answers: Array<JsonObject> = requests.map(() => ({}))
  let left = requests.length
  const settle = () => {
    const message = problem(answers)
    const error = new AgentError({ reason: "invalid-config", message: message ?? "" })
    Deferred.doneUnsafe(done, message === undefined ? Effect.void : Effect.fail(error))
  }
  return {
    done: Deferred.await(done),
    ask: () => {
      for (const [at, request] of requests.entries()) {
        control.ask(request, (response) => {
          answers[at] = response
          if (--left === 0) settle()
        })
      }
    },
    isDone: () => Deferred.isDoneUnsafe(done),
    fail: (error) => void Deferred.doneUnsafe(done, Effect.fail(error)),
    mayBeSandboxed: () => mayBeSandboxed(answers),
    settings: () => {
      const [initialized = {}, held = {}] = answers
      return {
        model: textOf(recordOf(recordOf(held, "response"), "applied"), "model"),
        mode: textOf(recordOf(initialized, "response"), "current_permission_mode"),
      }
    },
  }
}
