/**
 * Texts of the user for a running turn.
 *
 * @see Codex 0.171 app-server: measured. A text that it has accepted is lost if the turn is interrupted before its item is
 *   complete
 */
import { randomUUID } from "node:crypto"
import { type JsonObject, recordOf, textOf } from "@zain/agent-server/JsonMember"
import type { Steer } from "@zain/agent-server/ServedAgent"
import type { McpSteered } from "@zain/core/McpSteer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { CodexServer } from "./CodexServer.ts"

/** The texts of one turn. */
export interface CodexSteers {
  /** Sends a text. */
  readonly send: Steer
  /** Receives the turn's notifications. */
  readonly notification: (method: string, params: JsonObject) => void
  /** The turn is over. */
  readonly end: () => void
}

/**
 * Starts without a text.
 *
 * @param turn returns the id of the thread's running turn
 */
export const make = (server: CodexServer, threadId: string, turn: () => string | undefined): CodexSteers => {
  const waiting = new Map<string, Deferred.Deferred<McpSteered>>()
  return {
    send: (text) =>
      Effect.suspend(() => {
        const expectedTurnId = turn()
        if (expectedTurnId === undefined) return queued
        const id = randomUUID()
        const taken = Deferred.makeUnsafe<McpSteered>()
        waiting.set(id, taken)
        const input = [{ type: "text", text, text_elements: [] }]
        return server.request("turn/steer", { threadId, expectedTurnId, input, clientUserMessageId: id }).pipe(
          Effect.andThen(Effect.raceFirst(Deferred.await(taken), server.ended)),
          Effect.catchIf(
            ({ message }) => refusal.test(message),
            () => queued,
          ),
          Effect.ensuring(Effect.sync(() => waiting.delete(id))),
        )
      }),
    notification: (method, params) => {
      if (waiting.size === 0 || method !== "item/completed") return
      const taken = waiting.get(textOf(recordOf(params, "item"), "clientId") ?? "")
      if (taken !== undefined) Deferred.doneUnsafe(taken, Effect.succeed("applied"))
    },
    end: () => {
      for (const taken of waiting.values()) Deferred.doneUnsafe(taken, Effect.succeed("queued"))
    },
  }
}

const queued = Effect.succeed<McpSteered>("queued")

/** Codex refuses a text when its turn has ended, and in turns of some kinds. */
const refusal = /refused turn\/steer: .*\bturn\b/i
