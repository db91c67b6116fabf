/**
 * Texts of one client into its running turns.
 */
import type { RequestId } from "@modelcontextprotocol/sdk/types.js"
import { codes, internalError, invalidParams, ProtocolError } from "@zain/tool-server/ProtocolError"
import type { Extension } from "@zain/tool-server/ToolServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { AgentError } from "./AgentError.ts"
import type { Steer } from "./ServedAgent.ts"

/** The running turns of one client, by the ids of their calls. */
export interface TurnSteers {
  /** A turn is due. Returns a function that receives how a text reaches it. */
  readonly enter: (call: RequestId) => (steer: Steer) => void
  /** The turn of a call is over. */
  readonly leave: (call: RequestId) => void
  /** Answers `zain/steer`. A text for a turn that has not begun waits for it. */
  readonly answer: Extension
}

/** Starts without a turn. */
export const make = (): TurnSteers => {
  const turns = new Map<unknown, Deferred.Deferred<Steer>>()
  return {
    enter: (call) => {
      const turn = Deferred.makeUnsafe<Steer>()
      turns.set(call, turn)
      return (steer) => void Deferred.doneUnsafe(turn, Effect.succeed(steer))
    },
    leave: (call) => {
      const turn = turns.get(call)
      turns.delete(call)
      if (turn !== undefined) Deferred.doneUnsafe(turn, Effect.succeed(tooLate))
    },
    answer: ({ call, content }) => {
      if (typeof content !== "string" || content === "") {
        return Effect.fail(invalidParams("`content` must be a text of at least one character."))
      }
      const turn = turns.get(call)
      if (turn === undefined) return Effect.fail(noTurn)
      return Effect.mapBoth(
        Effect.flatMap(Deferred.await(turn), (steer) => steer(content)),
        { onSuccess: (steered) => ({ steered }), onFailure: refusal },
      )
    },
  }
}

const tooLate: Steer = () => Effect.succeed("queued")

const noTurn = new ProtocolError({
  code: codes.invalidParams,
  message: "The call that the text is for is not under way.",
  data: { "zain/request": "no-turn", "zain/delivery": "not-sent" },
})

const refusal = ({ delivery = "unknown", message }: AgentError): ProtocolError =>
  internalError(message, { "zain/delivery": delivery })
