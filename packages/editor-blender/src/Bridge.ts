/**
 * The bridge's protocol as an interface, over any connection.
 *
 * @see bridge/PROTOCOL.md
 */
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"

/** A request that failed. */
export interface BridgeFailure {
  /** One of `ErrorCodes.codes`; any other text is `UNEXPECTED_ERROR`. */
  readonly code: string
  readonly message: string
  /** The path of the invalid parameter. */
  readonly path?: ReadonlyArray<string | number>
  readonly details?: string
  /** The line of the Python code, from 1. */
  readonly line?: number
  /** Similar names or remedies. Default: those of the code. */
  readonly suggestions?: ReadonlyArray<string>
}

export type Params = Readonly<Record<string, unknown>>

export interface Bridge {
  /**
   * Sends one request and succeeds with its `result`. An interruption cancels it. `timeoutMs` among the params is
   * Blender's limit.
   */
  readonly request: (method: string, params: Params) => Effect.Effect<unknown, BridgeFailure>
}

/** A request whose result is an object, as all results of the protocol are. */
export const ask = ({ request }: Bridge, method: string, params: Params): Effect.Effect<Params, BridgeFailure> =>
  Effect.flatMap(request(method, params), (result) =>
    isRecord(result) ? Effect.succeed(result) : Effect.fail(malformed(method)),
  )

export const malformed = (method: string): BridgeFailure => ({
  code: "INTERNAL_SERVER_ERROR",
  message: `The bridge's answer to ${method} is not what the protocol has.`,
})

/** A defect as a failure. */
export const unexpected = (defect: unknown): BridgeFailure => ({
  code: "UNEXPECTED_ERROR",
  message: "The operation ended with an unexpected error.",
  ...(defect instanceof Error ? { details: `${defect.name}: ${defect.message}` } : {}),
})
