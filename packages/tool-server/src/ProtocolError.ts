/**
 * The JSON-RPC error that a request receives instead of a result.
 *
 * @see JSON-RPC 2.0, section 5.1
 */
import * as Data from "effect/Data"

/** The codes of JSON-RPC, and that of a connection that closed before an answer. */
export const codes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  connectionClosed: -32_000,
} as const

/** Fails a request; its members are sent as they are. */
export class ProtocolError extends Data.TaggedError("ProtocolError")<{
  /** The code of JSON-RPC. */
  readonly code: number
  /** One sentence for people. */
  readonly message: string
  /** Details for programs. */
  readonly data?: Readonly<Record<string, unknown>>
}> {}

/** Makes the error of invalid parameters (-32602). */
export const invalidParams = (message: string): ProtocolError =>
  new ProtocolError({ code: codes.invalidParams, message })

/** The error of an unknown method (-32601). */
export const notFound = new ProtocolError({ code: codes.methodNotFound, message: "Method not found" })

/** Makes the error of a request that the server could not carry out (-32603). */
export const internalError = (message: string, data?: ProtocolError["data"]): ProtocolError =>
  new ProtocolError({ code: codes.internalError, message, ...(data === undefined ? {} : { data }) })
