/**
 * Batches: several JSON-RPC messages that a client sends as one.
 *
 * @see JSON-RPC 2.0, section 6; Model Context Protocol 2025-03-26, base protocol, batching; docs/internals/promises.md, 27
 */
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js"
import * as Result from "effect/Result"
import type { Batch, Entry } from "./JsonRpcMessage.ts"
import * as JsonRpcMessage from "./JsonRpcMessage.ts"
import * as JsonSize from "./JsonSize.ts"
import { codes } from "./ProtocolError.ts"

/** Executes a batch. `answer` is called once, with the answers in the order of the requests; not for notifications only. */
export type TakeBatch = (batch: Batch, answer: (answers: ReadonlyArray<object>) => void) => void

/** The limit for all answers to a batch together, in bytes. */
const maxAnswerBytes = 64 * 2 ** 20

const tooLarge = ({ id }: { readonly id?: RequestId | null }) =>
  JsonRpcMessage.refusal({
    code: codes.internalError,
    message: `The answers to the batch exceed ${maxAnswerBytes} bytes. Send this request by itself.`,
    id: id ?? null,
  })

/** The last revision of MCP that has batches. */
const lastRevision = "2025-03-26"

/** Whether a revision of MCP has batches. */
export const isPartOf = (protocolVersion: string): boolean => protocolVersion <= lastRevision

/** Whether a parsed text is a batch. */
export const isBatch = (message: JSONRPCMessage | Batch): message is Batch => Array.isArray(message)

/** Whether an entry receives an answer: a request does, and so does an invalid message. */
export const isAnswered = (entry: Entry): boolean =>
  Result.isFailure(entry) || ("method" in entry.success && "id" in entry.success)

/**
 * Executes the entries of a batch in order, and answers when every answer is there.
 *
 * @param take executes one entry; it calls `give` once with the answer, if there is one
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
        if (all <= maxAnswerBytes) size = all
        answers[place] = all <= maxAnswerBytes ? given : tooLarge(given)
        left--
        if (left === 0) answer(answers)
      })
    }
  }
