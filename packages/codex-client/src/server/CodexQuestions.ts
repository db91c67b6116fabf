/**
 * The approvals of one turn. Each is decided, and answered once.
 *
 * Codex matches a response to a call by the call's id, which its model chooses. Of two open calls with one id, the second
 * receives the response to the first. So no request is approved whose id was used twice.
 *
 * @see Codex 0.169 app-server: measured. The second request came up to 33 ms after the first
 */

import type { TurnListener } from "@zain/agent-server/ServedAgent"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Steer } from "./CodexApproval.ts"
import type { Route } from "./CodexServer.ts"

/** The approvals of one turn. */
export interface CodexQuestions {
  /** Decides a request. */
  readonly question: Route["question"]
  /** An id was used twice. Declines all open requests, and halts the turn. */
  readonly twice: (id: string) => void
}

/** The turn of the approvals. */
export interface Options {
  readonly listener: Pick<TurnListener, "approve">
  /** Runs a decision until the turn's end. */
  readonly fork: (effect: Effect.Effect<unknown>) => Fiber.Fiber<unknown>
  /** Whether the turn is being ended. */
  readonly isStopping: () => boolean
  /** Succeeds when every message that Codex has sent is read. */
  readonly caughtUp: Effect.Effect<unknown, unknown>
  /** Sends the reason of a decline to the model. */
  readonly explain: (steer: Steer) => void
  /** Interrupts the turn; the reason becomes its result. */
  readonly halt: (reason: string) => void
}

/** Time before a request may be approved. A second call with its id would be known by then. */
const settling = Duration.millis(100)

const tooLate = "The turn has ended."

/** Decides the requests of a turn. A request whose decision fails or is interrupted is declined. */
export const make = ({ caughtUp, explain, fork, halt, isStopping, listener }: Options): CodexQuestions => {
  const known = new Set<string>()
  const open = new Set<(reason: string) => void>()

  const twice = (id: string) => {
    const reason = `Codex used the id ${id.slice(0, 100)} for two calls of a turn, where an answer can reach the wrong call. Neither was approved, and the turn was interrupted.`
    for (const decline of [...open]) decline(reason)
    halt(reason)
  }
  return {
    twice,
    question: ({ answer, id, steer, ...question }, reply) => {
      const decline = (reason: string) => {
        open.delete(decline)
        reply(answer({ _tag: "Decline", reason }))
      }
      if (isStopping()) return decline(tooLate)
      open.add(decline)
      if (id !== undefined) {
        if (known.has(id)) return twice(id)
        known.add(id)
      }
      const decided = Effect.gen(function* () {
        const settled = yield* Effect.forkChild(Effect.sleep(settling))
        const decision = yield* Effect.suspend(() => listener.approve(question))
        if (decision._tag !== "Decline") {
          yield* Fiber.join(settled)
          yield* Effect.exit(caughtUp)
        }
        if (isStopping()) return decline(tooLate)
        open.delete(decline)
        reply(answer(decision))
        if (decision._tag === "Decline" && decision.reason.trim() !== "" && steer) explain(steer(decision.reason))
      })
      fork(
        decided.pipe(
          Effect.onInterrupt(() => Effect.sync(() => decline(tooLate))),
          Effect.catchCause(() => Effect.sync(() => decline("The question could not be decided."))),
        ),
      )
    },
  }
}
