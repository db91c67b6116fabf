/**
 * Several messages that a client sends as one.
 *
 * @see JSON-RPC 2.0, section 6; Model Context Protocol 2025-03-26, base protocol, batching; promise 27
 */
import { ErrorCode, type JSONRPCMessage, type RequestId } from "@modelcontextprotocol/sdk/types.js"
import * as Result from "effect/Result"
import type { Batch, Entry } from "./JsonRpcMessage.ts"
import * as JsonRpcMessage from "./JsonRpcMessage.ts"
import * as JsonSize from "./JsonSize.ts"

/** Takes a batch. `answer` is called once, with the answers in the order of the requests; never for notifications alone. */
export type TakeBatch = (batch: Batch, answer: (answers: ReadonlyArray<object>) => void) => void

/** How large the answers to a batch may be together, in bytes. */
const most = 64 * 2 ** 20

const tooLarge = ({ id }: { readonly id?: RequestId | null }) =>
  JsonRpcMessage.refusal({
    code: ErrorCode.InternalError,
    message: `The answers to a batch may have ${most} bytes together. Send this request by itself.`,
    id: id ?? null,
  })

/** The last revision of MCP that has batches. */
const lastRevision = "2025-03-26"

export const isPartOf = (protocolVersion: string): boolean => protocolVersion <= lastRevision

export const isBatch = (message: JSONRPCMessage | Batch): message is Batch => Array.isArray(message)

/** A request is answered, and so is what is no message. */
export const isAnswered = (entry: Entry): boolean =>
  Result.isFailure(entry) || ("method" in entry.success && "id" in entry.success)

/**
 * Takes the entries of a batch in order, and answers when each that is answered has its answer.
 *
 * @param take takes one; it calls `give` once, with its answer, if it has one
 */
export const make =
  (take: (entry: Entry, give: (answer: object) => void) => void): TakeBatch =>
  (batch, answer) => {
    const answers: Array<object> = new Array(batch.filter(isAnswered).length)
    let [next, left, size] = [0, answers.length, 0]
    for (const entry of batch) {
      const place = isAnswered(entry) ? next++ : undefined
      take(entry, (given) => {
        if (place === undefined) return
        const all = size + JsonSize.of(given)
        if (all <= most) size = all
        answers[place] = all <= most ? given : tooLarge(given)
        left--
        if (left === 0) answer(answers)
      })
    }
  }
