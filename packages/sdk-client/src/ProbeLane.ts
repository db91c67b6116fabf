/**
 * Sends requests to a server one at a time, outside of any session, and refuses the server's own requests.
 */
import { randomUUID } from "node:crypto"
import type { McpError } from "@zain/core/McpError"
import { isAnswer, isRecord, isRequest, type JsonRpcMessage } from "@zain/process/JsonRpc"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { McpWire } from "./McpWire.ts"
import * as ServerRequests from "./ServerRequests.ts"

/** The server's answer to a request: a result, or a JSON-RPC error. */
export type Reply =
  | {
      /** The server answered with a result. */
      readonly _tag: "Result"
      /** The result, whose members are not checked. */
      readonly result: unknown
    }
  | {
      /** The server answered with a JSON-RPC error. */
      readonly _tag: "Refused"
      /** The code of the error. */
      readonly code: number
      /** The server's message. */
      readonly message: string
    }

/** The requests of one probe. */
export interface ProbeLane {
  /** Sends a request and returns its answer; fails when the wire ends first. */
  readonly ask: (method: string, params: Readonly<Record<string, unknown>>) => Effect.Effect<Reply, McpError>
  /** Fails when the wire ends, or when a message outside of a request could not be read. */
  readonly ended: Effect.Effect<never, McpError>
}

/**
 * Makes a lane over a wire and becomes the wire's listener.
 *
 * @param other receives every message that answers no request of the lane
 */
export const make = Effect.fnUntraced(function* (wire: McpWire, other: (message: JsonRpcMessage) => void) {
  const context = yield* Effect.context<never>()
  const requests = ServerRequests.make({ dialect: undefined, hasTools: false, context, send: wire.send })
  const end = yield* Deferred.make<never, McpError>()
  const prefix = randomUUID()
  let count = 0
  let waiting: { readonly id: string; readonly resume: (reply: Effect.Effect<Reply, McpError>) => void } | undefined

  const settle = (reply: Effect.Effect<Reply, McpError>) => {
    const one = waiting
    waiting = undefined
    one?.resume(reply)
  }
  wire.listen({
    message: (message) => {
      if (isRequest(message)) return requests.take(message, undefined)
      if (!isAnswer(message) || !String(message.id).startsWith(prefix)) return other(message)
      if (message.id === waiting?.id) settle(Effect.succeed(read(message)))
    },
    failed: (error, id) => {
      if (waiting === undefined) Deferred.doneUnsafe(end, Effect.fail(error))
      else if (id === undefined || id === waiting.id) settle(Effect.fail(error))
    },
    ended: (error) => {
      Deferred.doneUnsafe(end, Effect.fail(error))
    },
  })
  const lane: ProbeLane = {
    ask: (method, params) =>
      Effect.raceFirst(
        Effect.callback<Reply, McpError>((resume) => {
          const id = `${prefix}-${++count}`
          waiting = { id, resume }
          wire.send({ jsonrpc: "2.0", id, method, params })
          return Effect.sync(() => {
            if (waiting?.id === id) waiting = undefined
          })
        }),
        Deferred.await(end),
      ),
    ended: Deferred.await(end),
  }
  return lane
})

const read = (message: JsonRpcMessage): Reply => {
  if (!("error" in message)) return { _tag: "Result", result: "result" in message ? message.result : undefined }
  const error: unknown = message.error
  const { code, message: text } = isRecord(error) ? error : {}
  return {
    _tag: "Refused",
    code: typeof code === "number" ? code : 0,
    message: typeof text === "string" ? text : "",
  }
}
