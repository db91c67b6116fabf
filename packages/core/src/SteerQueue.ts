/**
 * The texts of `steer` in one session that wait for the agent.
 */
import * as Effect from "effect/Effect"
import type { AgentConnection } from "./AgentConnection.ts"
import type { McpError } from "./McpError.ts"
import type { McpSteered } from "./McpSteer.ts"

/** The texts of one session. */
export interface SteerQueue {
  /** How many are under way or queued. */
  readonly size: () => number
  /** Sends a text, and queues it if the agent has not taken it. */
  readonly send: (text: string, sending: Effect.Effect<McpSteered, McpError>) => Effect.Effect<McpSteered, McpError>
  /** The connection, whose next prompt the queued texts precede. What was not sent stays queued. */
  readonly around: (connection: AgentConnection) => AgentConnection
  /** Returns the queued texts, and forgets them. */
  readonly take: () => ReadonlyArray<string>
}

/** Makes an empty queue. */
export const make = (): SteerQueue => {
  let queued: ReadonlyArray<string> = []
  let sending = 0
  const take = () => {
    const texts = queued
    queued = []
    return texts
  }
  return {
    take,
    size: () => sending + queued.length,
    send: (text, steer) =>
      Effect.suspend(() => {
        sending++
        return steer
      }).pipe(
        Effect.tap((steered) =>
          Effect.sync(() => {
            if (steered === "queued") queued = [...queued, text]
          }),
        ),
        Effect.ensuring(Effect.sync(() => void sending--)),
      ),
    around: (connection) => ({
      ...connection,
      execute: (request, turn) => {
        if (queued.length === 0) return connection.execute(request, turn)
        const texts = take()
        const whole = { ...request, content: [...texts, request.content].join("\n\n") }
        return Effect.tapError(connection.execute(whole, turn), ({ delivery }) =>
          Effect.sync(() => {
            if (delivery === "not-sent") queued = [...texts, ...queued]
          }),
        )
      },
    }),
  }
}
