/**
 * The JSON-RPC error that a client receives instead of a result.
 */
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js"
import * as Data from "effect/Data"

/** Fails a request; the SDK sends the members unchanged. */
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
  new ProtocolError({ code: ErrorCode.InvalidParams, message })
