/**
 * A refusal of the protocol: what a client is told instead of a result.
 */
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js"
import * as Data from "effect/Data"

/**
 * The SDK sends the three as they are.
 *
 * - `code`: of JSON-RPC
 * - `message`: one sentence
 * - `data`: what a program can read of it
 */
export class ProtocolError extends Data.TaggedError("ProtocolError")<{
  readonly code: number
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
}> {}

/** The client asks for what cannot be asked for. */
export const invalidParams = (message: string): ProtocolError =>
  new ProtocolError({ code: ErrorCode.InvalidParams, message })
