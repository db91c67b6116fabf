/**
 * What is asked in one turn: each question is decided, and answered once.
 *
 * Codex finds the call that an answer is for by the call's id, which its model chooses. Of two calls with one id that are
 * open at once, the second gets the answer to the first. So nothing is approved under an id that came twice.
 *
 * @see Codex 0.169 app-server: measured. The second question came up to 33 ms after the first
 */

import type { TurnListener } from "@zain/agent-server/Agent"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Steer } from "./CodexApproval.ts"
import type { Route } from "./CodexServer.ts"

/**
 * - `question`: has one decided
 * - `twice`: an id came twice. Declines what is open, and halts the turn
 */
export interface CodexQuestions {
  readonly question: Route["question"]
  readonly twice: (id: string) => void
}

/**
 * - `fork`: runs who decides until the turn's end
 * - `isStopping`: whether the turn is being ended
 * - `caughtUp`: ends when everything that Codex has sent is read
 * - `explain`: tells the model why it was declined
 * - `halt`: interrupts the turn, and says why
 */
export interface Options {
  readonly listener: Pick<TurnListener, "approve">
  readonly fork: (effect: Effect.Effect<unknown>) => Fiber.Fiber<unknown>
  readonly isStopping: () => boolean
  readonly caughtUp: Effect.Effect<unknown, unknown>
  readonly explain: (steer: Steer) => void
  readonly halt: (reason: string) => void
}

/** How long after a question nothing is approved: another call with its id is known by then. */
const settling = Duration.millis(100)

const tooLate = "The turn has ended."

/** Decides the questions of a turn. Each is answered, whatever becomes of who decides. */
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
